/** The engine process built from source, and papers for it to import. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import Database from 'libsql';
import { EngineClient, type EngineClientOptions } from '../../server/engine/process/client';
import { packageRoot } from '../../server/paths';

/** Folder of the encoder that ships. */
export function modelFolder(): string {
  return join(packageRoot(), 'models', 'encoder');
}

let built: Promise<string> | undefined;

/** Bundles the engine process as the package does, and returns the path of its entry. */
export function engineEntry(): Promise<string> {
  built ??= (async () => {
    const outfile = join(packageRoot(), 'out', 'test', 'engine.js');
    await build({
      entryPoints: [join(packageRoot(), 'server', 'engineMain.ts')],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      external: ['onnxruntime-node', 'hnswlib-node', 'libsql'],
      logLevel: 'error',
    });
    return outfile;
  })();
  return built;
}

const WORDS =
  'model graph label noise sample token image speech memory reward policy parser query index kernel bias cost margin cache sensor'.split(
    ' ',
  );

export type PaperRow = { id: string; title: string; date: string; sentences: { text: string }[] };

/** `n` papers of `each` short, different sentences, in the JSONL format. */
export function paperRows(n: number, each: number, prefix = 'p'): PaperRow[] {
  return Array.from({ length: n }, (_, i) => ({
    id: `${prefix}${i}`,
    title: `On the ${WORDS[i % WORDS.length]} of ${prefix} ${i}`,
    date: `${2000 + (i % 25)}`,
    sentences: Array.from({ length: each }, (_unused, j) => {
      const word = (k: number): string => WORDS[(i * 3 + j * 5 + k * 7) % WORDS.length] ?? '';
      return {
        text: `We train a ${word(0)} that lowers ${word(1)} by ${word(2)}, case ${prefix} ${i} ${j}.`,
      };
    }),
  }));
}

/** A folder for one test: data folder, files, engine clients; all gone with `dispose`. */
export class Scene {
  readonly folder = mkdtempSync(join(tmpdir(), 'ratio-process-'));
  readonly home = join(this.folder, 'home');
  readonly log: string[] = [];
  private readonly clients: EngineClient[] = [];

  async client(options: Partial<EngineClientOptions> = {}): Promise<EngineClient> {
    const client = new EngineClient({
      entry: await engineEntry(),
      home: this.home,
      modelDir: modelFolder(),
      device: 'cpu',
      log: (line) => this.log.push(line),
      ...options,
    });
    this.clients.push(client);
    return client;
  }

  file(name: string, rows: unknown[]): string {
    const path = join(this.folder, name);
    writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    return path;
  }

  async dispose(): Promise<void> {
    for (const client of this.clients) await client.close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Every sentence of a pool as `paper position text`, sorted. */
export function storedSentences(home: string, pool: string): string[] {
  const database = new Database(join(home, 'pools', pool, 'pool.db'), { timeout: 5000 });
  try {
    const rows = database
      .prepare('SELECT p.id, s.position, s.text FROM sentences s JOIN papers p ON p.key = s.paper')
      .all([]) as { id: string; position: number; text: string }[];
    return rows.map(({ id, position, text }) => `${id} ${position} ${text}`).sort();
  } finally {
    database.close();
  }
}

export type PoolContent = { papers: number; sentences: number };

/**
 * Opens a pool's database by itself and checks that it is whole: SQLite's integrity check, that
 * full text agrees with the sentences, that every sentence has its vector and every paper `each`
 * sentences.
 */
export function checkPool(home: string, pool: string, each: number): PoolContent {
  const path = join(home, 'pools', pool, 'pool.db');
  if (!existsSync(path)) return { papers: 0, sentences: 0 };
  const database = new Database(path, { timeout: 5000 });
  try {
    const number = (sql: string): number =>
      Object.values(database.prepare(sql).get([]) as Record<string, number>)[0] ?? 0;
    const version = number('PRAGMA user_version');
    if (version === 0) return { papers: 0, sentences: 0 };
    const integrity = database.prepare('PRAGMA integrity_check').get([]) as {
      integrity_check: string;
    };
    if (integrity.integrity_check !== 'ok') throw new Error(integrity.integrity_check);
    database.exec("INSERT INTO sentences_fts (sentences_fts, rank) VALUES ('integrity-check', 1)");
    const papers = number('SELECT COUNT(*) FROM papers');
    const sentences = number('SELECT COUNT(*) FROM sentences');
    const vectors = number(
      'SELECT COUNT(*) FROM sentences s JOIN vectors v ON v.id = s.id WHERE length(v.vector) = 1536',
    );
    const odd = number(
      `SELECT COUNT(*) FROM (SELECT paper FROM sentences GROUP BY paper HAVING COUNT(*) <> ${each})`,
    );
    if (vectors !== sentences || odd > 0 || sentences !== papers * each) {
      throw new Error(`${papers} papers, ${sentences} sentences, ${vectors} vectors, ${odd} odd`);
    }
    return { papers, sentences };
  } finally {
    database.close();
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Whether a process is there (and is no zombie, which a reaped child is not). */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits until `test` holds; fails after `ms`. */
export async function until(test: () => boolean, ms: number, what: string): Promise<void> {
  for (const end = Date.now() + ms; !test(); await sleep(20)) {
    if (Date.now() > end) throw new Error(`Waited ${ms} ms in vain: ${what}`);
  }
}
