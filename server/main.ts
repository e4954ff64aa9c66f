/** The language server's process: LSP wiring only. */
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { serve } from './serve';

serve(createConnection(ProposedFeatures.all));
