/**
 * Lost tests: what a change takes away from the tests, which whoever reviews it has to know, whatever its author says. Read from the texts
 * alone: test files that go, checks that become fewer, tests that are skipped.
 */
import { textOf } from '../../workspace/files/file-in-folder.js';
import type { ObjectStore, TreeChange } from '../../workspace/git/objects/object-store.js';

const TEST = /(?:^|\/)(?:tests?|specs?|__tests__)\/|(?:^|\/)test_[^/]+$|[._-](?:test|spec)s?\.\w+$/i;
const CHECK = /\b(?:assert\w*|expect\w*|check\w*|should|verify)\b|\bt\.(?:Error|Fatal)\w*|\b(?:self|this)\.fail/i;
const SKIP =
  /\b(?:it|test|describe)\.(?:skip|todo)\b|\bx(?:it|test|describe)\b|\bskip(?:If|Unless|Test)?\b|#\[ignore|\bt\.Skip/;
const MOST_FILES = 200;
const MOST_BYTES = 1 << 20;
const MOST_IN_ALL = 16 << 20;
const MOST_TOLD = 20;

export async function lostTests(store: ObjectStore, changes: readonly TreeChange[]): Promise<string[]> {
  const kept = new Set(changes.flatMap(({ after }) => after?.id ?? []));
  // A test that was moved is there still.
  const touched = changes.filter(({ path, before }) => before && TEST.test(path) && !kept.has(before.id));
  const named = touched.slice(0, MOST_FILES);
  const ids = named.flatMap(({ before, after }) => [before?.id ?? [], after?.id ?? []].flat());
  const bytes = await store.readMany(ids, MOST_BYTES, MOST_IN_ALL);
  const text = (id: string | undefined): string => textOf(bytes.get(id ?? '') ?? Buffer.alloc(0)) ?? '';
  const lost = named.flatMap(
    ({ path, before, after }) => lossOf(path, text(before?.id), after && text(after.id)) ?? [],
  );
  return lost.slice(0, MOST_TOLD);
}

/** What one file of tests has lost; undefined when nothing has gone. */
export function lossOf(path: string, before: string, after: string | undefined): string | undefined {
  const checks = countOf(before, CHECK);
  if (after === undefined) return checks === 0 ? undefined : `${path} is deleted, with ${checks} checks`;
  const [fewer, skipped] = [checks - countOf(after, CHECK), countOf(after, SKIP) - countOf(before, SKIP)];
  const said = [fewer > 0 ? `has ${fewer} of ${checks} checks fewer` : '', skipped > 0 ? `skips ${skipped} more` : ''];
  const told = said.filter((part) => part !== '');
  return told.length === 0 ? undefined : `${path} ${told.join(', and ')}`;
}

function countOf(text: string, pattern: RegExp): number {
  return text.split('\n').filter((line) => pattern.test(line)).length;
}
