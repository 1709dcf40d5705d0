/**
 * The whole terminal, for as long as a command draws on it: the other screen of the terminal, without a cursor and without
 * wrapping, keys as they are pressed. However the process ends it leaves the terminal as it was, unless it is killed outright.
 */
import type { Device } from '../syntax/define.js';
import { type Key, Keys } from './keys.js';

const ESC = '\u001b';
const TAKE = `${ESC}[?1049h${ESC}[?25l${ESC}[?7l${ESC}[?2004h${ESC}[2J`;
const GIVE_BACK = `${ESC}[0m${ESC}[?2004l${ESC}[?7h${ESC}[?25h${ESC}[?1049l`;
const BELL = '\u0007';

export interface Watcher {
  pressed(keys: readonly Key[]): void;
  resized(): void;
}

export class Screen {
  readonly #device: Device;
  readonly #watcher: Watcher;
  readonly #keys = new Keys();
  #drawn: readonly string[] = [];
  #isTaken = false;

  constructor(device: Device, watcher: Watcher) {
    this.#device = device;
    this.#watcher = watcher;
  }

  get size(): { readonly columns: number; readonly rows: number } {
    return this.#device.size();
  }

  get isTaken(): boolean {
    return this.#isTaken;
  }

  take(): void {
    if (this.#isTaken) return;
    this.#isTaken = true;
    this.#drawn = [];
    process.on('exit', this.giveBack);
    process.on('SIGCONT', this.#again);
    this.#device.listen({ input: this.#input, resize: this.#resized });
    this.#device.write(TAKE);
  }

  readonly giveBack = (): void => {
    if (!this.#isTaken) return;
    this.#isTaken = false;
    process.off('exit', this.giveBack);
    process.off('SIGCONT', this.#again);
    this.#device.unlisten();
    this.#device.write(GIVE_BACK);
  };

  /** Shows these lines on a screen that was taken, each as wide as it is at most; only what has changed is written. */
  draw(lines: readonly string[]): void {
    const { rows } = this.size;
    let text = '';
    for (let row = 0; row < rows; row++) {
      const line = lines[row] ?? '';
      if (line !== this.#drawn[row]) text += `${ESC}[${row + 1};1H${ESC}[0m${ESC}[2K${line}`;
    }
    this.#drawn = lines;
    if (text !== '') this.#device.write(`${text}${ESC}[0m`);
  }

  /** Has everything drawn again. */
  forget(): void {
    this.#drawn = [];
    if (this.#isTaken) this.#device.write(`${ESC}[2J`);
  }

  ring(): void {
    if (this.#isTaken) this.#device.write(BELL);
  }

  readonly #input = (piece: string): void => this.#watcher.pressed(this.#keys.in(piece));

  readonly #resized = (): void => {
    this.forget();
    this.#watcher.resized();
  };

  /** Takes the terminal anew after a stop: the shell has used it meanwhile. */
  readonly #again = (): void => {
    this.giveBack();
    this.take();
    this.#watcher.resized();
  };
}
