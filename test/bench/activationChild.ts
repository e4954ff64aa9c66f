/**
 * Loads and activates a bundled extension once in plain Node, with a stand-in for `vscode` that
 * takes any call, and prints how long that took: argument 1 is the package's folder, argument 2 is
 * `draft` where a draft is open at the start, so that the language server is launched.
 */
import { readFileSync } from 'node:fs';
import Module from 'node:module';
import { join } from 'node:path';

const [, , folder = '.', open] = process.argv;

/** Whatever is asked of it, it is again: an object, a function, a class that can be extended. */
function anything(): unknown {
  const target = function (): void {
    // Called or constructed through the proxy only.
  };
  const proxy: unknown = new Proxy(target, {
    get(own, key) {
      if (key === 'then') return undefined;
      if (key === Symbol.toPrimitive) return () => '';
      if (key === Symbol.iterator) return () => [][Symbol.iterator]();
      if (key === 'prototype') return own.prototype as object;
      return proxy;
    },
    set: () => true,
    apply: () => proxy,
    construct: () => Object.create(target.prototype as object) as object,
  });
  return proxy;
}

/** The stand-in, or a part of it: what is not given is anything. */
function part(given: Record<string, unknown>): object {
  return new Proxy(given, { get: (own, key) => (key in own ? own[key as string] : anything()) });
}

class Disposable {
  dispose(): void {
    // Nothing is held.
  }
}

class EventEmitter extends Disposable {
  private readonly listeners: ((value: unknown) => void)[] = [];
  readonly event = (listener: (value: unknown) => void): Disposable => {
    this.listeners.push(listener);
    return new Disposable();
  };
  fire(value: unknown): void {
    for (const listener of this.listeners) listener(value);
  }
}

let commands = 0;
const draft = part({
  uri: part({ scheme: 'file', path: '/draft.tex', fsPath: '/draft.tex' }),
  languageId: 'latex',
});
/** Names that the editor's API has: bundles copy a module's own properties. */
const types = readFileSync(join(folder, 'node_modules', '@types', 'vscode', 'index.d.ts'), 'utf8');
const names = [...types.matchAll(/^\s+export (?:class|enum|namespace|const) (\w+)/gm)];
const vscode: Record<string, unknown> = {
  ...Object.fromEntries(names.map(([, name = '']) => [name, anything()])),
  Disposable,
  EventEmitter,
  version: '1.100.0',
  workspace: part({
    textDocuments: open === 'draft' ? [draft] : [],
    workspaceFolders: undefined,
    isTrusted: true,
    getConfiguration: () => part({ get: (_key: string, fallback: unknown) => fallback }),
  }),
  commands: part({
    registerCommand: () => {
      commands++;
      return new Disposable();
    },
  }),
};

type Loader = { _load: (request: string, ...rest: unknown[]) => unknown };
const loader = Module as unknown as Loader;
const load = loader._load;
loader._load = (request, ...rest) =>
  request === 'vscode' ? vscode : load.call(Module, request, ...rest);

const context = part({
  subscriptions: [],
  extensionPath: folder,
  asAbsolutePath: (path: string) => join(folder, path),
});
const cpu = process.cpuUsage();
const started = performance.now();
// eslint-disable-next-line @typescript-eslint/no-require-imports
const extension = require(join(folder, 'dist', 'extension.js')) as {
  activate: (context: unknown) => unknown;
};
const loaded = performance.now();
extension.activate(context);
const activated = performance.now();
const { user, system } = process.cpuUsage(cpu);
process.stdout.write(
  `${JSON.stringify({
    load: loaded - started,
    activate: activated - loaded,
    processor: (user + system) / 1000,
    commands,
  })}\n`,
);
// A launched server is not waited for.
process.exit(0);
