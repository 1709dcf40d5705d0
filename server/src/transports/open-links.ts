/**
 * Set of a listener's connections, from the upgrade until the socket is gone.
 *
 * A link that was told to close stays here until its farewell has left, so that shutting
 * down can wait for it. The wait is bounded: who is still here after the grace is cut.
 */
import type { Link } from './link.js';

const SHUTDOWN_GRACE_MS = 2000;

export class OpenLinks<L extends Link> {
  private readonly links = new Set<L>();
  private whenEmpty: (() => void) | undefined;

  add(link: L): void {
    this.links.add(link);
  }

  remove(link: L): void {
    this.links.delete(link);
    if (this.links.size === 0) this.whenEmpty?.();
  }

  each(visit: (link: L) => void): void {
    for (const link of this.links) visit(link);
  }

  async closeAll(graceMs = SHUTDOWN_GRACE_MS): Promise<void> {
    this.each((link) => link.close(1001, 'the server is shutting down'));
    if (this.links.size === 0) return;
    const gone = new Promise<void>((resolve) => {
      this.whenEmpty = resolve;
    });
    const cut = setTimeout(() => this.each((link) => link.terminate()), graceMs);
    await gone;
    clearTimeout(cut);
  }
}
