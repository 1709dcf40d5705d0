/** Ring buffer with a fixed head: the beginning and the end of a program's output, in bounded memory. */
import { stripVTControlCharacters } from 'node:util';

export class OutputRing {
  readonly #mostHead: number;
  readonly #mostTail: number;
  #head = Buffer.alloc(0);
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #dropped = 0;

  constructor(mostBytes: number) {
    this.#mostHead = mostBytes >> 2;
    this.#mostTail = mostBytes - this.#mostHead;
  }

  get truncated(): boolean {
    return this.#dropped > 0;
  }

  /** What it holds now: twice as much as it keeps and one piece more, at the most. */
  get heldBytes(): number {
    return this.#head.length + this.#tailBytes;
  }

  add(bytes: Buffer): void {
    const room = this.#mostHead - this.#head.length;
    if (room > 0) this.#head = Buffer.concat([this.#head, bytes.subarray(0, room)]);
    const rest = bytes.subarray(Math.max(room, 0));
    if (rest.length === 0) return;
    const over = rest.length - this.#mostTail;
    if (over > 0) {
      // Output before it goes, and of a flood no more is copied than stays.
      this.#dropped += this.#tailBytes + over;
      this.#tail = [Buffer.from(rest.subarray(over))];
      this.#tailBytes = this.#mostTail;
      return;
    }
    this.#tail.push(Buffer.from(rest));
    this.#tailBytes += rest.length;
    // Amortized: pruning at every small piece would copy again and again.
    if (this.#tailBytes > 2 * this.#mostTail) this.#prune();
  }

  /** Text for people: without terminal control sequences, with replacement characters for invalid bytes. */
  text(): string {
    this.#prune();
    const tail = Buffer.concat(this.#tail);
    const left = this.#dropped === 0 ? '' : `\n[${this.#dropped} bytes left out]\n`;
    return left === '' ? readable(Buffer.concat([this.#head, tail])) : readable(this.#head) + left + readable(tail);
  }

  #prune(): void {
    const tail = Buffer.concat(this.#tail);
    const over = Math.max(tail.length - this.#mostTail, 0);
    this.#dropped += over;
    this.#tail = [Buffer.from(tail.subarray(over))];
    this.#tailBytes = tail.length - over;
  }
}

function readable(bytes: Buffer): string {
  return stripVTControlCharacters(bytes.toString('utf8')).replaceAll('\0', '\ufffd').replaceAll('\r\n', '\n');
}
