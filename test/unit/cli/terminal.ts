/** The bundled terminal command on a data folder of its own. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleTerminal } from '../../bundle';
import { jsonl } from '../evaluation/sea';

export class Terminal {
  readonly folder: string;
  readonly home: string;

  private constructor(
    name: string,
    private readonly cli: string,
  ) {
    this.folder = mkdtempSync(join(tmpdir(), `ratio-${name}-`));
    this.home = join(this.folder, 'home');
    // Not about the starter pool, which takes seconds to build.
    mkdirSync(this.home);
    writeFileSync(join(this.home, 'starter-removed'), '');
  }

  /** A terminal whose data folder has these papers in the pool `sea`. */
  static async with(name: string, rows: object[]): Promise<Terminal> {
    const terminal = new Terminal(name, await bundleTerminal(`${name}.js`));
    const papers = join(terminal.folder, 'papers.jsonl');
    writeFileSync(papers, jsonl(rows));
    const { status, stderr } = terminal.ratio('pool', 'add', 'sea', papers);
    assert.equal(status, 0, stderr);
    return terminal;
  }

  ratio(...parameters: string[]) {
    return spawnSync(process.execPath, [this.cli, ...parameters], {
      env: { ...process.env, RATIO_HOME: this.home },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
