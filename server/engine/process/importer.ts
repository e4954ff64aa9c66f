/** The import process: started when there is something to write, stopped soon after. */
import { EngineChild } from './child';
import type { ProcessConfig } from './messages';

/** It waits this long for another import before it stops. */
const IDLE_MS = 3000;

/** Holds the one import process of an engine; a dead one is replaced at the next call. */
export class ImportProcess {
  private child: EngineChild | null = null;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly entry: string,
    private readonly config: ProcessConfig,
    private readonly log: (line: string) => void,
  ) {}

  /** Process id, while it runs. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** The process, started when there is none. */
  get(): EngineChild {
    if (this.child && !this.child.dead) return this.child;
    const child = new EngineChild(this.entry, this.config, this.log);
    this.child = child;
    void child.ended.then((how) => {
      if (this.child === child) this.child = null;
      if (how !== null) this.log(`The import process died: ${how}.`);
    });
    return child;
  }

  /** Keeps it running: there is something to write. */
  keep(): void {
    if (this.timer) clearTimeout(this.timer);
  }

  /** Stops it in a moment, unless {@link keep} is called before. */
  stopSoon(): void {
    this.timer = setTimeout(() => {
      const idle = this.child;
      this.child = null;
      void idle?.stop();
    }, IDLE_MS);
    this.timer.unref();
  }

  /** Stops it now; resolves when it has ended. */
  async stop(): Promise<void> {
    this.keep();
    const { child } = this;
    this.child = null;
    await child?.stop();
  }
}
