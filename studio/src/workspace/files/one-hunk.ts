/** One-hunk diff of two texts, from the first line that differs to the last. */
import { linesOf } from './text-window.js';

const CONTEXT = 3;

export function oneHunk(path: string, before: string, after: string): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  const least = Math.min(old.length, now.length);
  let start = 0;
  while (start < least && old[start] === now[start]) start += 1;
  if (start === old.length && start === now.length) return '';
  let same = 0;
  while (same < least - start && old[old.length - 1 - same] === now[now.length - 1 - same]) same += 1;
  const from = Math.max(start - CONTEXT, 0);
  const [oldEnd, nowEnd] = [old.length - same, now.length - same];
  const after3 = Math.min(CONTEXT, same);
  const lines = [
    ...old.slice(from, start).map((line) => ` ${line}`),
    ...old.slice(start, oldEnd).map((line) => `-${line}`),
    ...now.slice(start, nowEnd).map((line) => `+${line}`),
    ...old.slice(oldEnd, oldEnd + after3).map((line) => ` ${line}`),
  ];
  const header = `@@ -${range(from, oldEnd + after3)} +${range(from, nowEnd + after3)} @@\n`;
  const text = lines.map((line) => (line.endsWith('\n') ? line : `${line}\n\\ No newline at end of file\n`)).join('');
  return `--- a/${path}\n+++ b/${path}\n${header}${text}`;
}

function range(from: number, to: number): string {
  const count = to - from;
  return `${count === 0 ? from : from + 1},${count}`;
}
