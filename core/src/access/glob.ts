/**
 * Patterns over keys: `**` stands for any number of whole segments, none included; `*` for any part of one segment.
 * Everything else stands for itself. [GL1]
 *
 * Matching takes at most (segments of the pattern × segments of the key) steps, whatever they are: nothing is handed to a
 * regular expression.
 */

/** What a pattern is refused for beyond: it would only be there to cost something. */
export const GLOB_BOUNDS = { length: 4096, patterns: 1024 } as const;

const ANY_SEGMENTS = '**';

export class Glob {
  readonly pattern: string;
  readonly #segments: readonly string[];

  constructor(pattern: string) {
    this.pattern = pattern;
    this.#segments = pattern.split('/');
  }

  matches(key: string): boolean {
    return this.#matchesSegments(key.split('/'));
  }

  /** Goes back to the last `**` only: an earlier one could match no more than it has. */
  #matchesSegments(key: readonly string[]): boolean {
    const pattern = this.#segments;
    let [at, next] = [0, 0];
    let [star, resumeAt] = [-1, 0];
    while (at < key.length) {
      if (pattern[next] === ANY_SEGMENTS) {
        star = next++;
        resumeAt = at;
      } else if (next < pattern.length && matchesSegment(pattern[next]!, key[at]!)) {
        at++;
        next++;
      } else if (star >= 0) {
        next = star + 1;
        at = ++resumeAt;
      } else return false;
    }
    while (pattern[next] === ANY_SEGMENTS) next++;
    return next === pattern.length;
  }
}

function matchesSegment(pattern: string, segment: string): boolean {
  if (!pattern.includes('*')) return pattern === segment;
  let [at, next] = [0, 0];
  let [star, resumeAt] = [-1, 0];
  while (at < segment.length) {
    if (pattern[next] === '*') {
      star = next++;
      resumeAt = at;
    } else if (next < pattern.length && pattern[next] === segment[at]) {
      at++;
      next++;
    } else if (star >= 0) {
      next = star + 1;
      at = ++resumeAt;
    } else return false;
  }
  while (pattern[next] === '*') next++;
  return next === pattern.length;
}

/** Several patterns, of which one must match. */
export class Globs {
  readonly patterns: readonly string[];
  readonly #globs: readonly Glob[];

  constructor(patterns: readonly string[]) {
    this.patterns = patterns;
    this.#globs = patterns.map((pattern) => new Glob(pattern));
  }

  matches(key: string): boolean {
    return this.#globs.some((glob) => glob.matches(key));
  }
}
