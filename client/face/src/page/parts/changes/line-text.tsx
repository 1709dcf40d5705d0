/** A line of code: its colours, and the marks of what its counterpart does not share. Both are classes; nothing is markup. */
import type { ComponentChildren } from 'preact';
import type { Span } from './language.js';
import { visible } from '../text.js';
import type { Marks } from '../words.js';

interface LineTextProps {
  readonly text: string;
  readonly colours?: readonly Span[] | undefined;
  readonly marks?: Marks | undefined;
}

export function LineText({ text, colours = [], marks = [] }: LineTextProps) {
  if (colours.length === 0 && marks.length === 0) return <>{visible(text)}</>;
  const shown: ComponentChildren[] = [];
  let at = 0;
  for (const [from, to] of marks) {
    shown.push(...coloured(text, colours, at, from));
    if (to > from) shown.push(<mark key={`m${from}`}>{coloured(text, colours, from, to)}</mark>);
    at = to;
  }
  shown.push(...coloured(text, colours, at, text.length));
  return <>{shown}</>;
}

function coloured(text: string, colours: readonly Span[], from: number, to: number): ComponentChildren[] {
  const shown: ComponentChildren[] = [];
  let at = from;
  for (const [start, end, kind] of colours) {
    if (end <= at || start >= to) continue;
    const [first, last] = [Math.max(start, at), Math.min(end, to)];
    if (first > at) shown.push(visible(text.slice(at, first)));
    shown.push(
      <span key={first} class={`is-${kind}`}>
        {visible(text.slice(first, last))}
      </span>,
    );
    at = last;
  }
  if (at < to) shown.push(visible(text.slice(at, to)));
  return shown;
}
