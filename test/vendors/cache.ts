/**
 * Prompt cache of a vendor. A mark writes one entry: the hash of all blocks up to it. A read looks from each mark back over twenty blocks
 * for an entry that an earlier request has written and that is not five minutes old.
 */
import { createHash } from 'node:crypto';
import { tokensOf, type Usage } from './vendor.js';

export interface Block {
  readonly text: string;
  readonly isMarked: boolean;
}

const LOOK_BACK = 20;
const LIFE_MS = 300_000;

export class PromptCache {
  /** Time of the last use, by hash of a prefix. */
  readonly #entries = new Map<string, number>();
  readonly #leastTokens: number;
  readonly #now: () => number;

  constructor(leastTokens: number, now: () => number) {
    this.#leastTokens = leastTokens;
    this.#now = now;
  }

  /** Serves the blocks of one request: what is read, what is written, what is neither. */
  serve(blocks: readonly Block[]): Omit<Usage, 'output'> {
    const prefixes = prefixesOf(blocks);
    const marks = blocks.flatMap(({ isMarked }, place) => (isMarked ? [place] : []));
    const hit = Math.max(-1, ...marks.map((mark) => this.#hitBehind(prefixes, mark)));
    const last = marks.findLast((mark) => prefixes[mark]!.tokens >= this.#leastTokens) ?? -1;
    for (const place of [...marks, hit]) {
      const prefix = prefixes[place];
      if (prefix && prefix.tokens >= this.#leastTokens) this.#entries.set(prefix.hash, this.#now());
    }
    const tokensAt = (place: number): number => prefixes[place]?.tokens ?? 0;
    const read = tokensAt(hit);
    const written = Math.max(0, tokensAt(last) - read);
    return { read, written, fresh: tokensAt(blocks.length - 1) - read - written };
  }

  #hitBehind(prefixes: readonly Prefix[], mark: number): number {
    for (let place = mark; place >= Math.max(0, mark - LOOK_BACK); place -= 1) {
      const used = this.#entries.get(prefixes[place]!.hash);
      if (used !== undefined && this.#now() - used < LIFE_MS) return place;
    }
    return -1;
  }
}

interface Prefix {
  readonly hash: string;
  readonly tokens: number;
}

function prefixesOf(blocks: readonly Block[]): Prefix[] {
  const hash = createHash('sha256');
  let tokens = 0;
  return blocks.map(({ text }) => {
    hash.update(text).update('\0');
    tokens += tokensOf(text);
    return { hash: hash.copy().digest('hex'), tokens };
  });
}
