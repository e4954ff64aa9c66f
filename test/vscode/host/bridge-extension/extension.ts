// Answers the UI suites' questions about the editor on a local port. Nothing of Ratio is in here:
// what a user does, the suites do by keyboard and mouse.
import { renameSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { basename, resolve } from 'node:path';
import * as vscode from 'vscode';

interface Params {
  readonly file: string;
  readonly text: string;
  readonly occurrence?: number;
  readonly cursorOnly?: boolean;
  readonly start: vscode.Position;
  readonly end: vscode.Position;
  readonly command: string;
  readonly args?: readonly unknown[];
  readonly id: string;
  readonly key: string;
  readonly value?: unknown;
}

/** The open document of a file, by its name or path; opened when it is not. */
async function documentOf(file: string): Promise<vscode.TextDocument> {
  const open = vscode.workspace.textDocuments.find(
    (document) => document.uri.fsPath === file || basename(document.uri.fsPath) === file,
  );
  if (open) return open;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  return vscode.workspace.openTextDocument(resolve(folder, file));
}

async function select(document: vscode.TextDocument, range: vscode.Range) {
  const shown = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
  const column = shown?.viewColumn;
  const editor = await vscode.window.showTextDocument(document, column);
  editor.selection = new vscode.Selection(range.start, range.end);
  editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  return { line: range.start.line, character: range.start.character };
}

/** Each takes the parameters that its counterpart in ../bridge.ts sends. */
const methods: Readonly<Record<string, (params: Params) => unknown>> = {
  ready: () => ({ version: vscode.version, trusted: vscode.workspace.isTrusted, pid: process.pid }),

  execute: ({ command, args }) => vscode.commands.executeCommand(command, ...(args ?? [])),

  commands: () => vscode.commands.getCommands(true),

  async selectText({ file, text, occurrence = 0, cursorOnly = false }) {
    const document = await documentOf(file);
    let at = -1;
    for (let i = 0; i <= occurrence; i++) {
      at = document.getText().indexOf(text, at + 1);
      if (at < 0) throw new Error(`"${text}" is not in ${file} ${occurrence + 1} time(s)`);
    }
    const start = document.positionAt(at);
    const end = cursorOnly ? start : document.positionAt(at + text.length);
    return select(document, new vscode.Range(start, end));
  },

  async selectRange({ file, start, end }) {
    const range = new vscode.Range(start.line, start.character, end.line, end.character);
    return select(await documentOf(file), range);
  },

  async document({ file }) {
    const document = await documentOf(file);
    return {
      text: document.getText(),
      dirty: document.isDirty,
      language: document.languageId,
      eol: document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n',
    };
  },

  active() {
    const editor = vscode.window.activeTextEditor;
    if (!editor) return null;
    const { document, selection } = editor;
    return { file: document.uri.fsPath, selected: document.getText(selection) };
  },

  extension({ id }) {
    const extension = vscode.extensions.getExtension(id);
    if (!extension) return null;
    const { version } = extension.packageJSON as { version: string };
    return { active: extension.isActive, version };
  },

  setConfiguration: ({ key, value }) =>
    vscode.workspace.getConfiguration().update(key, value, vscode.ConfigurationTarget.Global),

  configuration: ({ key }) => vscode.workspace.getConfiguration().get(key),
};

async function answer(request: IncomingMessage, mark: string): Promise<object> {
  try {
    if (request.headers.authorization !== `Bearer ${mark}`) throw new Error('wrong mark');
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { method, params } = JSON.parse(body) as { method: string; params: Params };
    const run = methods[method];
    if (!run) throw new Error(`no method ${method}`);
    return { result: (await run(params)) ?? null };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

export function activate(context: vscode.ExtensionContext): void {
  const file = process.env['RATIO_TEST_BRIDGE'];
  const mark = process.env['RATIO_TEST_MARK'];
  if (!file || !mark) return;
  const server = createServer((request, response) => {
    void answer(request, mark).then((reply) => response.end(JSON.stringify(reply)));
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    writeFileSync(`${file}.part`, JSON.stringify({ port }));
    renameSync(`${file}.part`, file);
  });
  context.subscriptions.push({ dispose: () => server.close() });
}
