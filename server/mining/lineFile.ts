/** JSONL files that appear whole or not at all. */
import { createWriteStream, type WriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { userError } from '../engine/errors';

/** Units that are gathered before they go to the stream. */
const CHUNK = 1 << 18;

/** Writes lines under a temporary name; `finish` gives the file its own. */
export class LineFile {
  private readonly stream: WriteStream;
  private readonly temporary: string;
  private held: string[] = [];
  private size = 0;
  private failure: unknown = null;
  lines = 0;

  constructor(private readonly path: string) {
    this.temporary = `${path}.part`;
    this.stream = createWriteStream(this.temporary, { encoding: 'utf8' });
    this.stream.on('error', (error) => {
      this.failure ??= error;
    });
  }

  /** Adds a row; a promise to wait for where the disk is behind. Rejects where writing fails. */
  add(row: unknown): Promise<void> | undefined {
    const line = JSON.stringify(row);
    this.held.push(line, '\n');
    this.size += line.length + 1;
    this.lines++;
    return this.size < CHUNK ? undefined : this.flush();
  }

  private async flush(): Promise<void> {
    this.check();
    const text = this.held.join('');
    this.held = [];
    this.size = 0;
    if (text !== '' && !this.stream.write(text)) {
      await this.drained();
    }
    this.check();
  }

  private drained(): Promise<void> {
    const { stream } = this;
    return new Promise((resolve) => {
      const done = (): void => {
        stream.off('drain', done).off('close', done);
        resolve();
      };
      stream.once('drain', done).once('close', done);
    });
  }

  private check(): void {
    if (this.failure !== null) throw userError(this.failure, 'writing', this.path);
  }

  /** Writes what is left; the file is whole then, still under its temporary name. */
  async close(): Promise<void> {
    await this.flush();
    this.stream.end();
    if (!this.stream.closed) await once(this.stream, 'close');
    this.check();
  }

  /** Gives a closed file its name. */
  appear(): Promise<void> {
    return rename(this.temporary, this.path);
  }

  /** Writes what is left and gives the file its name. */
  async finish(): Promise<void> {
    await this.close();
    await this.appear();
  }

  /** Drops the file. */
  async discard(): Promise<void> {
    this.held = [];
    this.stream.destroy();
    await rm(this.temporary, { force: true });
  }
}
