/** How often an engine process may die before it is not started again. */
export class DeathCount {
  private times: number[] = [];

  constructor(
    private readonly most = 5,
    private readonly windowMs = 3 * 60_000,
    /** A clock that never jumps. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Counts a death; returns whether it was one too many. */
  add(): boolean {
    const now = this.now();
    this.times = [...this.times.filter((time) => now - time < this.windowMs), now];
    return this.times.length >= this.most;
  }

  /** Forgets the deaths so far. */
  reset(): void {
    this.times = [];
  }
}
