/** Stand-ins for modules that only VS Code brings. */
import Module from 'node:module';

interface Loader {
  _load(request: string, ...rest: unknown[]): unknown;
}

/** Gives these in the place of the modules of their names, until what is returned is called. */
export function standIn(modules: Readonly<Record<string, unknown>>): () => void {
  const loader = Module as unknown as Loader;
  const load = loader._load;
  loader._load = (request, ...rest) =>
    Object.hasOwn(modules, request) ? modules[request] : load.call(Module, request, ...rest);
  return () => {
    loader._load = load;
  };
}

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
}
