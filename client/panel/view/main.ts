/** Entry of the panel's page; bundled with its style sheet into dist/panel.js and dist/panel.css. */
import '@vscode-elements/elements/dist/vscode-badge/index.js';
import '@vscode-elements/elements/dist/vscode-button/index.js';
import '@vscode-elements/elements/dist/vscode-checkbox/index.js';
import '@vscode-elements/elements/dist/vscode-progress-bar/index.js';
import '@vscode-elements/elements/dist/vscode-progress-ring/index.js';
import '@vscode-elements/elements/dist/vscode-textfield/index.js';
import '@vscode/codicons/dist/codicon.css';
import './panel.css';
import { PanelApp } from './app';
import { connect } from './bridge';

const root = document.getElementById('ratio');
if (root !== null) new PanelApp(root, connect()).start();
