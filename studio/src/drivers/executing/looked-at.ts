/** Files that a program has looked at in its turn, as far as its calls tell: those that a call names before one that writes does. */
import type { ProgramCall } from '../../models/executor.js';

/** Characters of all inputs that are kept. */
const MOST = 4 << 20;

export class LookedAt {
  #inputs = '';

  note({ input, writes }: ProgramCall): void {
    if (!writes && this.#inputs.length < MOST) this.#inputs += `${JSON.stringify(input)}\n`;
  }

  has(path: string): boolean {
    return this.#inputs.includes(JSON.stringify(path).slice(1, -1));
  }
}
