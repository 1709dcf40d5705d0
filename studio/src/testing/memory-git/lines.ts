/** Lines of texts against each other: common lines, merges of three versions, and patches. Quadratic: for small files. */

/** Lines of a text, each with its line break. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Longest common subsequence: for each line of one text the line of the other that it stays as, or -1. */
export function matched(one: readonly string[], other: readonly string[]): number[] {
  const width = other.length + 1;
  const longest = new Uint32Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i--)
    for (let j = other.length - 1; j >= 0; j--)
      longest[i * width + j] =
        one[i] === other[j]
          ? longest[(i + 1) * width + j + 1]! + 1
          : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!);
  const found = one.map(() => -1);
  for (let i = 0, j = 0; i < one.length && j < other.length;)
    if (one[i] === other[j]) found[i++] = j++;
    else if (longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!) i++;
    else j++;
  return found;
}

export interface MergedText {
  readonly text: string;
  readonly clean: boolean;
}

/** Three-way merge. Changes of both sides with no common line between them are in conflict. */
export function mergeTexts(base: string, ours: string, theirs: string): MergedText {
  const [b, o, t] = [linesOf(base), linesOf(ours), linesOf(theirs)];
  const [inOurs, inTheirs] = [matched(b, o), matched(b, t)];
  const out: string[] = [];
  let clean = true;
  let [i, j, k] = [0, 0, 0];
  for (;;) {
    // To the next line that all three have.
    let next = i;
    while (next < b.length && (inOurs[next] === -1 || inTheirs[next] === -1)) next++;
    const [endOurs, endTheirs] = next < b.length ? [inOurs[next]!, inTheirs[next]!] : [o.length, t.length];
    const was = b.slice(i, next).join('');
    const [mine, other] = [o.slice(j, endOurs).join(''), t.slice(k, endTheirs).join('')];
    if (mine === other || other === was) out.push(mine);
    else if (mine === was) out.push(other);
    else {
      clean = false;
      out.push('<<<<<<< ours\n', ended(mine), '=======\n', ended(other), '>>>>>>> theirs\n');
    }
    if (next >= b.length) return { text: out.join(''), clean };
    out.push(b[next]!);
    [i, j, k] = [next + 1, endOurs + 1, endTheirs + 1];
  }
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

const CONTEXT = 3;

/** Hunk of a patch, in git's form, from the first line that differs to the last. */
export function hunkOf(before: string, after: string): string {
  const [one, other] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start++;
  let end = 0;
  const most = Math.min(one.length, other.length) - start;
  while (end < most && one[one.length - 1 - end] === other[other.length - 1 - end]) end++;
  const from = Math.max(0, start - CONTEXT);
  const behind = Math.min(CONTEXT, end);
  const [gone, come] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  const [above, below] = [one.slice(from, start), one.slice(one.length - end, one.length - end + behind)];
  const range = (part: readonly string[]): string => {
    const count = above.length + part.length + below.length;
    const at = count === 0 ? from : from + 1;
    return count === 1 ? `${at}` : `${at},${count}`;
  };
  const written = (sign: string, lines: readonly string[]): string =>
    lines.map((line) => sign + (line.endsWith('\n') ? line : `${line}\n\\ No newline at end of file\n`)).join('');
  const body = [written(' ', above), written('-', gone), written('+', come), written(' ', below)].join('');
  return `@@ -${range(gone)} +${range(come)} @@\n${body}`;
}
