/** Lines that a running command has written so far, and the wait for one of them. */
export abstract class WrittenLines {
  readonly out: string[] = [];
  readonly err: string[] = [];
  readonly #watchers = new Set<() => void>();

  /** Lines of the log that are no mere news. */
  get problems(): string[] {
    return this.err.filter((line) => !line.includes('"level":"info"'));
  }

  abstract get hasEnded(): boolean;

  /** The first line on stdout, or among other lines of it, that matches; fails when the command ends without one. */
  async line(pattern: RegExp, lines = this.out): Promise<RegExpMatchArray> {
    for (;;) {
      for (const line of lines) {
        const match = pattern.exec(line);
        if (match) return match;
      }
      if (this.hasEnded) throw new Error(`weft ended without ${String(pattern)}; stderr: ${this.err.join(' | ')}`);
      await new Promise<void>((resolve) => this.#watchers.add(resolve));
    }
  }

  protected take(lines: string[], line: string): void {
    lines.push(line);
    this.wake();
  }

  protected wake(): void {
    for (const wake of this.#watchers) wake();
    this.#watchers.clear();
  }
}
