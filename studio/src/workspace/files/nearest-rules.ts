/** Which files of a repository say how agents work on some of its files: of several on the way up, the nearest. */
import { RULE_FILES } from '../programs/profile.js';

/** One for each place that a scope names. Where it names none, that of the repository itself. */
export function nearestRules(files: readonly string[], scope: readonly string[]): string[] {
  const there = new Set(files);
  const found = (scope.length === 0 ? [''] : scope).flatMap((one) => nearest(there, namedIn(one)) ?? []);
  return [...new Set(found)];
}

/** The names that a pattern begins with; one without a slash is about files in any folder. */
function namedIn(pattern: string): string[] {
  const names = pattern.replace(/^\.?\//, '').split('/');
  const mark = names.findIndex((name) => /[*?]/.test(name));
  return mark < 0 ? names : names.slice(0, mark);
}

function nearest(files: ReadonlySet<string>, [...folder]: string[]): string | undefined {
  for (;;) {
    const all = RULE_FILES.map((name) => [...folder, name].filter((part) => part !== '').join('/'));
    const here = all.find((path) => files.has(path));
    if (here !== undefined || folder.length === 0) return here;
    folder.pop();
  }
}
