/**
 * The panel in VS Code: a view in Ratio's own container and, on demand, an editor beside the draft.
 * Both show the same state, which outlives either (see core.ts).
 */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { PanelCore, type CoreOptions } from './core';
import { keyLabels } from './keys';
import { panelPage } from './page';
import { reached } from '../contexts';
import { chosenPools, resultCount } from '../settings';

/** Id of the view in package.json, and type of the editor. */
const PANEL_VIEW = 'ratio.panel';
const PANEL_BESIDE = 'ratio.panelBeside';

export interface PanelOptions {
  extension: vscode.Extension<unknown>;
  handler: CoreOptions['handler'];
  log?: (message: string) => void;
}

/** The panel as a view and as an editor beside the draft: {@link PanelCore} with webviews of VS Code. */
export class RatioPanel
  extends PanelCore
  implements vscode.WebviewViewProvider, vscode.WebviewPanelSerializer, vscode.Disposable
{
  private readonly extension: vscode.Extension<unknown>;
  private view: vscode.WebviewView | null = null;
  private beside: vscode.WebviewPanel | null = null;

  constructor({ extension, handler, log }: PanelOptions) {
    const keys = keyLabels(extension.packageJSON);
    super({
      handler,
      keys,
      page: resultCount,
      pools: chosenPools,
      onRestored: () => reached('hasInspirations'),
      ...(log === undefined ? {} : { log }),
    });
    this.extension = extension;
  }

  dispose(): void {
    this.beside?.dispose();
  }

  /**
   * Brings the panel to the front: the editor beside the draft where that is open, else the view.
   * @param preserveFocus leave the keyboard where it is; else it goes to the cards.
   */
  async show(preserveFocus: boolean): Promise<void> {
    if (this.beside !== null) this.beside.reveal(undefined, preserveFocus);
    else if (this.view !== null) {
      this.view.show(preserveFocus);
      // `show` makes a view visible; only its focus command moves the keyboard into it.
      if (!preserveFocus) await vscode.commands.executeCommand(`${PANEL_VIEW}.focus`);
    } else await vscode.commands.executeCommand(`${PANEL_VIEW}.focus`, { preserveFocus });
    if (!preserveFocus) this.focusCards();
  }

  /** Opens the panel in an editor beside the active one, or brings that to the front. */
  showBeside(): void {
    if (this.beside !== null) {
      this.beside.reveal(undefined, false);
      return;
    }
    const panel = vscode.window.createWebviewPanel(
      PANEL_BESIDE,
      'Ratio',
      vscode.ViewColumn.Beside,
      this.webviewOptions(),
    );
    this.adopt(panel);
  }

  /** True where a reader can see the panel now. */
  get visible(): boolean {
    return (this.view?.visible ?? false) || (this.beside?.visible ?? false);
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    view.webview.options = this.webviewOptions();
    const detach = this.connect(view.webview, 'view');
    view.onDidDispose(() => {
      detach();
      if (this.view === view) this.view = null;
    });
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    panel.webview.options = this.webviewOptions();
    this.adopt(panel);
  }

  private adopt(panel: vscode.WebviewPanel): void {
    this.beside = panel;
    panel.iconPath = vscode.Uri.joinPath(this.extension.extensionUri, 'media', 'icon.png');
    const detach = this.connect(panel.webview, 'editor');
    panel.onDidDispose(() => {
      detach();
      if (this.beside === panel) this.beside = null;
    });
  }

  private connect(webview: vscode.Webview, place: 'view' | 'editor'): () => void {
    const attachment = this.attach({ post: (message) => void webview.postMessage(message) });
    const listening = webview.onDidReceiveMessage((message: unknown) =>
      attachment.receive(message),
    );
    const built = (name: string): string =>
      webview
        .asWebviewUri(vscode.Uri.joinPath(this.extension.extensionUri, 'dist', name))
        .toString();
    webview.html = panelPage({
      cspSource: webview.cspSource,
      script: built('panel.js'),
      style: built('panel.css'),
      nonce: randomBytes(16).toString('base64url'),
      place,
    });
    return () => {
      listening.dispose();
      attachment.detach();
    };
  }

  private webviewOptions(): vscode.WebviewOptions {
    return {
      enableScripts: true,
      localResourceRoots: [vscode.Uri.joinPath(this.extension.extensionUri, 'dist')],
    };
  }
}
