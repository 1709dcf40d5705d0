/** Whether patterns stand for all files that a scope can mean, whatever files there are. */
import { compileGlob } from './glob.js';

/** A letter that no pattern has. */
const ANY = '\u0001';

/** Nothing covers a scope that says nothing, and no patterns cover nothing. */
export function coversScope(patterns: readonly string[], scope: readonly string[]): boolean {
  const all = patterns.map(compileGlob);
  const isCovered = (one: string): boolean =>
    patterns.includes(one) || samplesOf(one).every((path) => all.some((matches) => matches(path)));
  return scope.length > 0 && scope.every(isCovered);
}

/** Paths that it can mean: one as short as can be, and one with names and folders that only a star stands for. */
function samplesOf(scope: string): string[] {
  const path = scope.replace(/^\.?\//, '').replace(/\/+$/, '');
  // Without a slash it is about names in any folder.
  const whole = /[*?]/.test(path) && !path.includes('/') ? `**/${path}` : path;
  const short = whole.replaceAll('**/', '');
  const long = whole.replaceAll('**', `${ANY}/${ANY}/${ANY}`);
  return [short, long].map((one) => one.replaceAll(/\*+/g, ANY + ANY).replaceAll('?', ANY));
}
