/** Glob coverage: whether patterns match every file that a scope can mean, whatever files there are. */
import { compileGlob } from './glob.js';

/** Character that no pattern contains. */
const ANY = '\u0001';

/** Empty scopes are never covered, and empty patterns cover nothing. */
export function coversScope(patterns: readonly string[], scope: readonly string[]): boolean {
  const all = patterns.map(compileGlob);
  const isCovered = (one: string): boolean =>
    patterns.includes(one) || samplesOf(one).every((path) => all.some((matches) => matches(path)));
  return scope.length > 0 && scope.every(isCovered);
}

/** Sample paths of a scope: the shortest, and one with names and folders that only a star matches. */
function samplesOf(scope: string): string[] {
  const path = scope.replace(/^\.?\//, '').replace(/\/+$/, '');
  // Without a slash it matches names in any folder.
  const whole = /[*?]/.test(path) && !path.includes('/') ? `**/${path}` : path;
  const short = whole.replaceAll('**/', '');
  const long = whole.replaceAll('**', `${ANY}/${ANY}/${ANY}`);
  return [short, long].map((one) => one.replaceAll(/\*+/g, ANY + ANY).replaceAll('?', ANY));
}
