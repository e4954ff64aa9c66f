/**
 * The panel in a browser without VS Code: the real page with its real policy, the real host-side
 * core, a stand-in for `acquireVsCodeApi`, and the variables of a theme.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { chromium, type Browser, type Page } from 'playwright-core';
import { PanelCore } from '../../../client/panel/core';
import { panelPage } from '../../../client/panel/page';
import {
  hostMessageSchema,
  type HostMessage,
  type KeyLabels,
} from '../../../client/panel/messages';
import { packageRoot } from '../../../server/paths';
import { recordingHandler, type Call } from './recording';
import { themes } from './themes';

const ORIGIN = 'https://panel.test';
const NONCE = 'preview';

export function builtFolder(): string {
  return path.join(packageRoot(), 'out', 'panel-page');
}

/** Builds what ships as dist/panel.js, panel.css and codicon.ttf into out/panel-page. */
export async function buildPanel(): Promise<void> {
  await build({
    entryPoints: { panel: path.join(packageRoot(), 'client', 'panel', 'view', 'main.ts') },
    outdir: builtFolder(),
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: 'chrome128',
    loader: { '.ttf': 'file' },
    assetNames: '[name]',
    logLevel: 'warning',
  });
}

/** Where Chromium is, or null: RATIO_CHROMIUM, else the usual places. */
export function chromiumPath(): string | null {
  const places = [
    process.env['RATIO_CHROMIUM'],
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ];
  return places.find((place) => place !== undefined && existsSync(place)) ?? null;
}

export async function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}

export interface Opened {
  page: Page;
  core: PanelCore;
  calls: Call[];
  /** Problems that the page reported: errors and breaches of the policy. */
  problems: string[];
  /** Waits until everything posted has been drawn. */
  drawn(): Promise<void>;
  /** Loads the page again as after a reload of the window: a fresh host, the kept state. */
  reload(): Promise<Opened>;
  close(): Promise<void>;
}

export interface OpenOptions {
  theme?: keyof typeof themes;
  width?: number;
  height?: number;
  reducedMotion?: boolean;
  keys?: KeyLabels;
}

export const sampleKeys: KeyLabels = {
  other: { address: 'Ctrl+Alt+A', broaden: 'Ctrl+Alt+B', specify: 'Ctrl+Alt+S' },
  mac: { address: '⌃⌘A', broaden: '⌃⌘B', specify: '⌃⌘S' },
};

export async function openPanel(browser: Browser, options: OpenOptions = {}): Promise<Opened> {
  const { theme = 'dark', width = 320, height = 720, reducedMotion = true } = options;
  const page = await browser.newPage({
    viewport: { width, height },
    reducedMotion: reducedMotion ? 'reduce' : 'no-preference',
  });
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  await page.route(`${ORIGIN}/**`, async (route) => {
    const name = new URL(route.request().url()).pathname.slice(1);
    if (name === '') {
      const body = panelPage({
        cspSource: ORIGIN,
        script: `${ORIGIN}/panel.js`,
        style: `${ORIGIN}/panel.css`,
        nonce: NONCE,
        place: width > 600 ? 'editor' : 'view',
      });
      return route.fulfill({ contentType: 'text/html', body });
    }
    const file = path.join(builtFolder(), name);
    if (!existsSync(file)) return route.fulfill({ status: 404 });
    const types: Record<string, string> = {
      '.js': 'text/javascript',
      '.css': 'text/css',
      '.ttf': 'font/ttf',
    };
    const contentType = types[path.extname(name)] ?? 'application/octet-stream';
    return route.fulfill({ contentType, body: readFileSync(file) });
  });
  let receive: (message: unknown) => void = () => undefined;
  await page.exposeFunction('hostReceive', (message: unknown) => receive(message));
  await page.addInitScript({ content: `globalThis.theme = ${JSON.stringify(themes[theme])};` });
  await page.addInitScript({ path: path.join(__dirname, 'stand-in.js') });
  return attachAndLoad(() => page.goto(`${ORIGIN}/`));

  async function attachAndLoad(load: () => Promise<unknown>): Promise<Opened> {
    const { handler, calls } = recordingHandler();
    const core = new PanelCore({ handler, keys: options.keys ?? sampleKeys });
    let posted: Promise<unknown> = Promise.resolve();
    const attachment = core.attach({
      post: (message: HostMessage) => {
        hostMessageSchema.parse(message);
        const script = `window.postMessage(${JSON.stringify(message)}, '*')`;
        posted = posted.then(() => page.evaluate(script).catch(() => undefined));
      },
    });
    receive = (message) => attachment.receive(message);
    await load();
    const drawn = async (): Promise<void> => {
      // Twice: what is drawn may post again, and the host answers in a later turn.
      for (let round = 0; round < 2; round += 1) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        await posted;
        await page.evaluate(
          'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
        );
      }
    };
    await page.waitForSelector('.content');
    await drawn();
    return {
      page,
      core,
      calls,
      problems,
      drawn,
      reload: async () => {
        attachment.detach();
        return attachAndLoad(() => page.reload());
      },
      close: () => page.close(),
    };
  }
}
