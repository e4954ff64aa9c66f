/** One editor for a UI suite: server, browser window, bridge and a workspace of its own. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { Bridge, buildBridge } from './bridge';
import { launchBrowser, THEMES, Workbench, type Theme, type WindowOptions } from './browser';
import type { CodeServerHost } from './code-server-install';
import { ensureHosts } from './install';
import { extensionUnderTest, workspaceFixture } from './paths';
import { recordedExtension } from './recorded';
import { skipWith } from './results';
import { CodeServer, type ServerOptions } from './server';

export interface SessionOptions extends ServerOptions {
  /** Folder that is copied and opened; the fixture workspace by default. */
  readonly workspace?: string;
  /** Files to write into the copy, by relative path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Ratio from its source folder (default), a copy of it that records, or only what `vsix` installs. */
  readonly extension?: 'source' | 'recorded' | 'installed';
  readonly viewport?: WindowOptions['viewport'];
  /** Answer to the trust question, where `trust` is on. Restricted unless true. */
  readonly trusted?: boolean;
}

/** A window and the way to ask its extension host. */
export interface EditorWindow {
  readonly workbench: Workbench;
  readonly bridge: Bridge;
}

export interface Session extends EditorWindow {
  readonly server: CodeServer;
  /** The copy that is open. */
  readonly workspace: string;
  /** A further window on the same server (and a folder, this workspace by default). */
  openWindow(folder?: string): Promise<EditorWindow>;
  /** Changes the colour theme of all windows and waits until the first one shows it. */
  setTheme(theme: Theme): Promise<void>;
}

let host: Promise<CodeServerHost | string> | undefined;

/**
 * Call it in a `describe`: opens an editor before the suite and closes it after it, with a
 * picture and the logs of every failed test. The suite is skipped where there is no code-server.
 * Closing fails when a process of Ratio outlives the editor.
 */
export function useEditor(options: SessionOptions = {}): () => Session {
  let session: Session | undefined;
  let browser: Browser | undefined;
  const windows: Workbench[] = [];

  before('open the editor', async function () {
    this.timeout(120_000);
    const found = await findHost();
    if (typeof found === 'string') return skipWith(this, found);
    const title = this.test?.parent?.fullTitle() ?? 'suite';
    browser = await launchBrowser(found.chromium);
    session = await openSession(found, browser, { name: title, ...options }, windows);
  });

  afterEach('keep what a failure leaves', async function () {
    if (!session || this.currentTest?.state !== 'failed') return;
    const name = this.currentTest.fullTitle();
    await session.workbench.screenshot(`failed ${name}`).catch(() => undefined);
    session.workbench.keepConsole(name);
    session.server.keepLogs();
  });

  after('close the editor', async function () {
    this.timeout(60_000);
    for (const window of windows) await window.close().catch(() => undefined);
    await browser?.close();
    await session?.server.stop();
  });

  return () => {
    if (!session) throw new Error('The editor is open only while tests of its suite run.');
    return session;
  };
}

async function findHost(): Promise<CodeServerHost | string> {
  host ??= ensureHosts((line) => console.log(line)).then(
    (hosts) => hosts.ui ?? hosts.uiSkip ?? 'no code-server',
  );
  return host;
}

async function openSession(
  found: CodeServerHost,
  browser: Browser,
  options: SessionOptions,
  windows: Workbench[],
): Promise<Session> {
  // Installed, not under development: so VS Code behaves as at a user's, who has no such window.
  const unpacked = [await buildBridge()];
  if (options.extension === 'recorded') unpacked.push(recordedExtension());
  else if (options.extension !== 'installed') unpacked.push(extensionUnderTest);
  const server = await CodeServer.start(found, { ...options, unpacked });
  try {
    const workspace = copyWorkspace(server, options);
    const openWindow = async (folder = workspace) => {
      const viewport = options.viewport ? { viewport: options.viewport } : {};
      Bridge.forget(server);
      const window = await Workbench.open(browser, server, { folder, ...viewport });
      windows.push(window);
      if (options.trust) await window.answerTrust(options.trusted === true);
      const bridge = new Bridge(server);
      await bridge.ready();
      return { workbench: window, bridge };
    };
    const { workbench, bridge } = await openWindow();
    const setTheme = async (theme: Theme) => {
      await bridge.setConfiguration('workbench.colorTheme', THEMES[theme].name);
      await workbench.page.locator(`.monaco-workbench.${THEMES[theme].mark}`).waitFor();
      // Webviews get the colours a moment later.
      await workbench.page.waitForTimeout(400);
    };
    return { server, workbench, bridge, workspace, openWindow, setTheme };
  } catch (error) {
    const last = windows.at(-1);
    await last?.screenshot(`failed ${options.name ?? 'suite'} opening`).catch(() => undefined);
    server.keepLogs();
    await server.stop().catch(() => undefined);
    throw error;
  }
}

function copyWorkspace(server: CodeServer, options: SessionOptions): string {
  const workspace = join(server.folder, 'workspace');
  cpSync(options.workspace ?? workspaceFixture, workspace, { recursive: true });
  for (const [name, text] of Object.entries(options.files ?? {})) {
    mkdirSync(dirname(join(workspace, name)), { recursive: true });
    writeFileSync(join(workspace, name), text);
  }
  return workspace;
}
