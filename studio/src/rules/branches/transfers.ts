/** Transfers: what is under way between this host and repositories elsewhere, and how far it is. Nothing of it is recorded. */
export interface Transfer {
  /** Repository, or the folder of one that is not registered yet. */
  readonly of: string;
  readonly kind: 'clone' | 'fetch' | 'push';
  /** Address, without secrets. */
  readonly address: string;
  readonly since: string;
  /** In git's words. */
  readonly phase: string;
  readonly percent: number | null;
}

export class Transfers {
  readonly #all = new Set<{ current: Transfer }>();

  all(): Transfer[] {
    return [...this.#all].map(({ current }) => current);
  }

  /** Runs one, which tells how far it is. */
  async run<T>(
    begun: Omit<Transfer, 'phase' | 'percent'>,
    work: (onProgress: (phase: string, percent: number | undefined) => void) => Promise<T>,
  ): Promise<T> {
    const entry: { current: Transfer } = { current: { ...begun, phase: 'Connecting', percent: null } };
    this.#all.add(entry);
    try {
      return await work((phase, percent = undefined) => {
        entry.current = { ...entry.current, phase, percent: percent ?? null };
      });
    } finally {
      this.#all.delete(entry);
    }
  }
}
