/** Lines of a review that name their place: what people and agents say of a line is shown beside it. */
import type { LineComment } from './diff.js';

/** `paths` are those of the changed files: what names any other stays among the notes. */
export function placedNotes(notes: string, paths: readonly string[]): readonly LineComment[] {
  return notes.split('\n').flatMap((row) => {
    // The longest that begins it: a name may have a colon and a number.
    const path = paths
      .filter((one) => row.startsWith(`${one}:`))
      .reduce((longest, one) => (one.length > longest.length ? one : longest), '');
    const { line, text } = /^:(?<line>\d+): (?<text>.*\S.*)$/.exec(row.slice(path.length))?.groups ?? {};
    return path === '' || line === undefined || text === undefined ? [] : [{ path, line: Number(line), text }];
  });
}
