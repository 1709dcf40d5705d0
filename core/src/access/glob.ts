/**
 * Patterns over keys: `**` stands for any number of whole segments, none included; `*` for any part of one segment.
 * Everything else stands for itself. [GL1]
 *
 * Matching takes at most (segments of the pattern × segments of the key) steps and looks for literal pieces alone, whatever
 * they are: nothing is handed to a regular expression.
 */

/** What a pattern is refused for beyond: it would only be there to cost something. */
export const GLOB_BOUNDS = { length: 4096, patterns: 1024, together: 16_384 } as const;

/** A segment as its pieces between stars, or any number of segments. */
type Segment = readonly string[] | typeof ANY_SEGMENTS;

const ANY_SEGMENTS = '**';

export class Glob {
  readonly #segments: readonly Segment[];

  constructor(pattern: string) {
    this.#segments = pattern.split('/').map((segment) => (segment === ANY_SEGMENTS ? segment : segment.split('*')));
  }

  matches(key: string): boolean {
    return this.matchesSegments(key.split('/'));
  }

  /** Goes back to the last `**` only: an earlier one could match no more than it has. */
  matchesSegments(key: readonly string[]): boolean {
    const pattern = this.#segments;
    let [at, next] = [0, 0];
    let [star, resumeAt] = [-1, 0];
    while (at < key.length) {
      const segment = pattern[next];
      if (segment === ANY_SEGMENTS) {
        star = next++;
        resumeAt = at;
      } else if (segment && matchesSegment(segment, key[at]!)) {
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

/** `pieces` are what stands between the stars: the first and the last have their place, the others follow as soon as they can. */
function matchesSegment(pieces: readonly string[], segment: string): boolean {
  const [first] = pieces;
  if (pieces.length === 1) return segment === first;
  const last = pieces[pieces.length - 1]!;
  const end = segment.length - last.length;
  if (first!.length > end || !segment.startsWith(first!) || !segment.endsWith(last)) return false;
  let at = first!.length;
  for (let next = 1; next < pieces.length - 1; next++) {
    at = segment.indexOf(pieces[next]!, at);
    if (at < 0) return false;
    at += pieces[next]!.length;
  }
  return at <= end;
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
    const segments = key.split('/');
    return this.#globs.some((glob) => glob.matchesSegments(segments));
  }
}
