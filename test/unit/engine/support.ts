/** A data folder for one test, an engine on it with the test doubles, and papers to import. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine, type EngineOptions, type LocalEngine } from '../../../server/engine/local';
import { bagEncoder, jsonlImporter, type Sentence } from './doubles';

export type Row = { id: string; sentences: Sentence[]; [field: string]: unknown };

export function row(id: string, sentences: Sentence[], more: Record<string, unknown> = {}): Row {
  return {
    id,
    title: `Title of ${id}`,
    authors: ['Ada Example'],
    date: '2020-05-01',
    venue: null,
    url: null,
    doi: null,
    sentences,
    ...more,
  };
}

const WORDS =
  'tree queue river stone lamp wheel bread cloud paper clock glass brick spoon chair horse grain'.split(
    ' ',
  );

/** `n` papers of `each` sentences, all different. */
export function manyRows(n: number, each: number, prefix = 'p'): Row[] {
  return Array.from({ length: n }, (_, i) =>
    row(
      `${prefix}${i}`,
      Array.from({ length: each }, (_, j) => {
        const word = (k: number): string => WORDS[(i * 5 + j * 3 + k * 7) % WORDS.length] ?? '';
        return `The ${word(0)} of ${word(1)} holds a ${word(2)} ${prefix}${i} times ${j}.`;
      }),
    ),
  );
}

export class Workspace {
  readonly folder = mkdtempSync(join(tmpdir(), 'ratio-engine-'));
  readonly home = join(this.folder, 'home');
  readonly encoder = bagEncoder();
  private readonly engines: LocalEngine[] = [];

  async engine(options: Partial<EngineOptions> = {}): Promise<LocalEngine> {
    const engine = await createEngine({
      home: this.home,
      modelDir: '',
      device: 'cpu',
      importers: [jsonlImporter],
      createEncoder: async () => this.encoder,
      ...options,
    });
    this.engines.push(engine);
    return engine;
  }

  /** Writes a file of papers and returns its path. */
  file(name: string, rows: (Row | string)[]): string {
    const path = join(this.folder, name);
    const lines = rows.map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry)));
    writeFileSync(path, `${lines.join('\n')}\n`);
    return path;
  }

  async dispose(): Promise<void> {
    for (const engine of this.engines) await engine.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
