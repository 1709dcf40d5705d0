/**
 * Progress bar of long work, with the time that it has taken; a count where its end is not known. Short work shows
 * nothing.
 */
import type { Progress } from '@weft/server';
import type { Terminal } from '../syntax/define.js';

const WIDTH = 24;
const SECOND = 1000;
const MIB = 1024 ** 2;

export class ShownProgress {
  readonly #terminal: Terminal;
  readonly #since = performance.now();
  readonly #timer: NodeJS.Timeout;
  #how: Progress | undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#timer = setInterval(() => this.#show(), SECOND).unref();
  }

  tell(how: Progress): void {
    this.#how = how;
    if (performance.now() - this.#since >= SECOND) this.#show();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#terminal.status('');
  }

  #show(): void {
    this.#terminal.status(progressLine(this.#how, Math.floor((performance.now() - this.#since) / SECOND)));
  }
}

export function progressLine(how: Progress | undefined, seconds: number): string {
  if (!how) return `${seconds} s`;
  const { done, total, unit } = how;
  if (total === undefined) return `${amount(done, unit)}, ${seconds} s`;
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.round(share * WIDTH);
  const bar = `[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}]`;
  return `${bar} ${Math.floor(share * 100)} %, ${amount(done, unit)}, ${seconds} s`;
}

function amount(done: number, unit: Progress['unit']): string {
  return unit === 'bytes' ? `${(done / MIB).toFixed(1)} MiB` : `${done} ${unit}`;
}
