/** A window of VS Code in headless Chromium, driven as a user drives it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type FrameLocator,
  type Locator,
  type Page,
} from 'playwright-core';
import { logFolder, screenshotFolder } from './paths';
import type { CodeServer } from './server';

const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Colour themes by what a user would call them; `mark` is the class of the whole window. */
export const THEMES = {
  light: { name: 'Default Light Modern', mark: 'vs' },
  dark: { name: 'Default Dark Modern', mark: 'vs-dark' },
  'high-contrast': { name: 'Default High Contrast', mark: 'hc-black' },
  'high-contrast-light': { name: 'Default High Contrast Light', mark: 'hc-light' },
} as const;
export type Theme = keyof typeof THEMES;

/** Starts a browser; Chromium's own sandbox does not work for root. */
export function launchBrowser(executable: string): Promise<Browser> {
  const args = process.getuid?.() === 0 ? ['--no-sandbox', ...FLAGS] : FLAGS;
  // Our own handlers stop the servers first.
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  return chromium.launch({ executablePath: executable, headless: true, args, ...signals });
}

export interface WindowOptions {
  /** Folder to open, absolute. */
  readonly folder?: string;
  /** Extension to run from its source folder, absolute. VS Code's `payload` takes only one. */
  readonly extension?: string;
  /** Test entry to run in the extension host instead of being used by hand. */
  readonly testsPath?: string;
  readonly viewport?: { readonly width: number; readonly height: number };
}

/** Address of a window; the extension under development travels in the workbench's `payload`. */
export function windowUrl(serverUrl: string, options: WindowOptions): string {
  const remote = (path: string) => `vscode-remote://${new URL(serverUrl).host}${path}`;
  const payload: [string, string][] = [];
  if (options.extension) payload.push(['extensionDevelopmentPath', remote(options.extension)]);
  if (options.testsPath) payload.push(['extensionTestsPath', remote(options.testsPath)]);
  payload.push(['skipWelcome', 'true']);
  const url = new URL(serverUrl);
  if (options.folder) url.searchParams.set('folder', options.folder);
  url.searchParams.set('payload', JSON.stringify(payload));
  return url.href;
}

export class Workbench {
  /** What the page wrote to its console; for reading after a failure, never a verdict. */
  readonly console: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly context: BrowserContext,
  ) {
    page.on('console', (message) => this.console.push(`${message.type()}: ${message.text()}`));
    // Leaving with unsaved files asks; the answer is always to leave.
    page.on('dialog', (dialog) => void dialog.accept().catch(() => undefined));
    page.on('pageerror', (error) => this.console.push(`error: ${error.message}`));
  }

  /** Opens a window in a browser context of its own and waits for the workbench. */
  static async open(
    browser: Browser,
    server: CodeServer,
    options: WindowOptions = {},
  ): Promise<Workbench> {
    const viewport = options.viewport ?? { width: 1440, height: 900 };
    const context = await browser.newContext({ viewport });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const workbench = new Workbench(page, context);
    await page.goto(windowUrl(server.url, options));
    await workbench.waitForWorkbench();
    return workbench;
  }

  /** Reloads the window by command: a reload of the page would lose what VS Code is yet to store. */
  async reload(): Promise<void> {
    const loaded = this.page.waitForEvent('load', { timeout: 60_000 });
    await this.runCommand('Developer: Reload Window');
    await loaded;
    await this.waitForWorkbench();
  }

  /**
   * Closes the window as a user does: its extension host ends. The page hears that it will go
   * before it goes, else its last message is often lost and the extension host stays for hours.
   */
  async close(): Promise<void> {
    await this.page.evaluate("dispatchEvent(new Event('pagehide'))").catch(() => undefined);
    await this.page.waitForTimeout(500).catch(() => undefined);
    await this.context.close();
  }

  /** Opens a file of the workspace by its name through quick open. */
  async openFile(name: string): Promise<void> {
    await this.page.keyboard.press('Control+P');
    await this.quickInput.waitFor();
    await this.quickInput.fill(name);
    await this.page
      .locator('.quick-input-list .monaco-list-row.focused', { hasText: name })
      .waitFor();
    await this.page.keyboard.press('Enter');
    await this.page.locator('.tab.active', { hasText: name }).first().waitFor();
    await this.page.locator('.editor-instance .view-line').first().waitFor();
  }

  /** Runs a command by its full title ("Ratio: Address") from the palette. */
  async runCommand(title: string): Promise<void> {
    await this.page.keyboard.press('F1');
    await this.quickInput.waitFor();
    await this.quickInput.fill(`>${title}`);
    const row = this.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: title });
    await row.first().waitFor();
    await this.page.keyboard.press('Enter');
  }

  /** Titles of the palette's rows for what is typed, e.g. to see that a command is hidden. */
  async paletteRows(typed: string): Promise<string[]> {
    await this.page.keyboard.press('F1');
    await this.quickInput.fill(`>${typed}`);
    await this.page.locator('.quick-input-list .monaco-list-row').first().waitFor();
    // The list is filled by and by while the command's providers answer.
    await this.page.waitForTimeout(500);
    const rows = await this.page.locator('.quick-input-list .monaco-list-row').allInnerTexts();
    await this.page.keyboard.press('Escape');
    return rows.map((row) => row.split('\n')[0]?.trim() ?? '');
  }

  /** Puts the cursor at a 1-based line and column by "Go to Line/Column". */
  async goTo(line: number, column = 1): Promise<void> {
    await this.page.keyboard.press('Control+G');
    await this.quickInput.waitFor();
    await this.quickInput.fill(`:${line}:${column}`);
    await this.page.keyboard.press('Enter');
    await this.quickInput.waitFor({ state: 'hidden' });
    await this.page.locator('.editor-instance .monaco-editor.focused').first().waitFor();
  }

  /** Waits for a notification that contains `text`; its buttons are inside the locator. */
  async toast(text: string | RegExp, timeout = 20_000): Promise<Locator> {
    const toast = this.page.locator('.notification-toast', { hasText: text }).first();
    await toast.waitFor({ timeout });
    return toast;
  }

  /** Picks a row of an open quick pick by its label. */
  async pick(label: string | RegExp): Promise<void> {
    await this.page
      .locator('.quick-input-list .monaco-list-row', { hasText: label })
      .first()
      .click();
  }

  /** Answers an open input box. */
  async type(text: string): Promise<void> {
    await this.quickInput.waitFor();
    await this.quickInput.fill(text);
    await this.page.keyboard.press('Enter');
  }

  /**
   * Rests the mouse on a word that is visible in the editor and returns the hover whose text
   * matches. The mouse is moved away and back while none appears.
   */
  async hover(word: string, expected: string | RegExp, timeout = 20_000): Promise<Locator> {
    const target = this.page.locator('.editor-instance .view-line span span', { hasText: word });
    const hover = this.page.locator('.monaco-hover:visible', { hasText: expected }).first();
    const end = Date.now() + timeout;
    do {
      const box = await target.first().boundingBox();
      if (!box) throw new Error(`"${word}" is not visible in the editor`);
      await this.page.mouse.move(box.x + 12, box.y + 240);
      await this.page.mouse.move(box.x + 12, box.y + box.height / 2, { steps: 4 });
      try {
        await hover.waitFor({ timeout: 2_000 });
        return hover;
      } catch {
        // Try again: the first movement may have come before the provider was there.
      }
    } while (Date.now() < end);
    throw new Error(`No hover with ${String(expected)} over "${word}" in ${timeout / 1000} s`);
  }

  /** Shows a view container by the title in its activity bar entry. */
  async openView(title: string): Promise<void> {
    await this.page.locator(`.activitybar a[aria-label*="${title}"]`).first().click();
  }

  /** Document of the visible webview of an extension (its view, or its editor tab). */
  webview(extensionId: string, purpose?: 'webviewView'): FrameLocator {
    const ofExtension = `[src*="extensionId=${extensionId}"]`;
    const ofPurpose = purpose ? `[src*="purpose=${purpose}"]` : '';
    return this.page
      .frameLocator(`iframe.webview.ready${ofExtension}${ofPurpose}:visible`)
      .frameLocator('iframe#active-frame');
  }

  /** Entry of the status bar that contains `text`. */
  statusItem(text: string | RegExp): Locator {
    return this.page.locator('.statusbar-item', { hasText: text }).first();
  }

  /** Answers VS Code's question whether the folder's authors are trusted. */
  async answerTrust(trusted: boolean): Promise<void> {
    const dialog = this.page.locator('.monaco-dialog-box', { hasText: 'trust the authors' });
    await dialog.waitFor();
    const button = dialog.locator('.monaco-button', { hasText: trusted ? /^Yes/ : /^No/ });
    await button.click();
    await dialog.waitFor({ state: 'hidden' });
  }

  /** Closes all notifications, so that they hide nothing in a picture. */
  async clearToasts(): Promise<void> {
    await this.runCommand('Notifications: Clear All Notifications');
  }

  /** Saves out/screenshots/NAME.png of the window, or of one part of it; returns the path. */
  async screenshot(name: string, part?: Locator): Promise<string> {
    mkdirSync(screenshotFolder, { recursive: true });
    const path = join(screenshotFolder, `${name.replaceAll(/[^\w.-]+/g, '-')}.png`);
    await (part ?? this.page).screenshot({ path });
    return path;
  }

  /** Writes the page's console to out/vscode-logs. */
  keepConsole(name: string): void {
    mkdirSync(logFolder, { recursive: true });
    const path = join(logFolder, `${name.replaceAll(/[^\w.-]+/g, '-')}-console.log`);
    writeFileSync(path, this.console.join('\n'));
  }

  private get quickInput(): Locator {
    return this.page.locator('.quick-input-widget:visible input.input').first();
  }

  private async waitForWorkbench(): Promise<void> {
    await this.page.locator('.monaco-workbench').waitFor({ timeout: 60_000 });
    await this.page.locator('.statusbar-item').first().waitFor({ timeout: 60_000 });
  }
}
