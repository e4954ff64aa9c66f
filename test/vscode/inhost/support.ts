/** What the suites in the extension host share. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { RatioApi } from '../../../client/extension';
import type { HostMessage, ViewMessage } from '../../../client/panel/messages';
import type { PanelState } from '../../../client/panel/state';

export const ID = 'ratio-research.ratio';

/** A sentence of the fixture draft that states a problem. */
export const PROBLEM =
  'It remains unclear how to tell a faithful explanation from a merely plausible one.';

export async function until<T>(
  what: string,
  read: () => T | Promise<T>,
  good: (value: T) => boolean,
  timeoutMs = 60_000,
): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const value = await read();
    if (good(value)) return value;
    if (Date.now() > end)
      throw new Error(`Not in ${timeoutMs / 1000} s: ${what}: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export async function ratio(): Promise<RatioApi> {
  const extension = vscode.extensions.getExtension<RatioApi>(ID);
  assert.ok(extension, `${ID} is there`);
  return extension.activate();
}

/** Opens a file of the workspace in the editor. */
export async function open(name: string): Promise<vscode.TextEditor> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder, 'the fixture workspace is open');
  const document = await vscode.workspace.openTextDocument(join(folder.uri.fsPath, name));
  return vscode.window.showTextDocument(document);
}

/** Range of the first occurrence of `text`. */
export function rangeOf(document: vscode.TextDocument, text: string): vscode.Range {
  const at = document.getText().indexOf(text);
  assert.ok(at >= 0, `“${text}” is in the document`);
  return new vscode.Range(document.positionAt(at), document.positionAt(at + text.length));
}

/** Stands in for a webview: sees what the panel shows and does what a reader does. */
export class View {
  state: PanelState | null = null;
  /** The last citation can be taken back. */
  undoable = false;
  private readonly attachment: ReturnType<RatioApi['panel']['attach']>;

  constructor(panel: RatioApi['panel']) {
    this.attachment = panel.attach({
      post: (message: HostMessage) => {
        if (message.type !== 'state') return;
        this.state = message.state;
        this.undoable = message.undoable;
      },
    });
    this.send({ type: 'ready' });
  }

  send(message: ViewMessage): void {
    this.attachment.receive(message);
  }

  get entry(): PanelState['trail'][number] | null {
    return this.state?.trail[this.state.current] ?? null;
  }

  /** Waits for the whole answer to this text. */
  async answered(text: string): Promise<NonNullable<View['entry']>> {
    const entry = await until(
      `an answer to “${text}”`,
      () => this.entry,
      (shown) => shown?.phase === 'done' && shown.taken?.text === text,
    );
    assert.ok(entry);
    return entry;
  }

  detach(): void {
    this.attachment.detach();
  }
}
