/**
 * Glob matcher: `*` and `?` stay within one name, `**` as a whole segment spans any number of folders.
 *
 * A pattern without a slash is matched against the file's name alone, in any folder, as in .gitignore. Both levels match
 * greedily and remember only the last star, so the cost is at most pattern length times path length: no pattern can make it
 * explode, as a regular expression made from it could.
 */
export type PathMatcher = (path: string) => boolean;

export function compileGlob(pattern: string): PathMatcher {
  if (!pattern.includes('/')) return (path) => matchName(pattern, path.slice(path.lastIndexOf('/') + 1));
  const segments = pattern.replace(/^\//, '').split('/');
  return (path) => matchStars(segments, path.split('/'), (segment) => segment === '**', matchName);
}

function matchName(pattern: string, name: string): boolean {
  return matchStars(
    [...pattern],
    [...name],
    (mark) => mark === '*',
    (mark, letter) => mark === '?' || mark === letter,
  );
}

function matchStars(
  pattern: readonly string[],
  subject: readonly string[],
  isStar: (part: string) => boolean,
  matchesOne: (part: string, item: string) => boolean,
): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let index = 0; index < subject.length;) {
    const part = pattern[at];
    const item = subject[index];
    if (part !== undefined && isStar(part)) {
      star = at;
      resume = index;
      at += 1;
    } else if (part !== undefined && item !== undefined && matchesOne(part, item)) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      resume += 1;
      index = resume;
      at = star + 1;
    } else {
      return false;
    }
  }
  return pattern.slice(at).every(isStar);
}
