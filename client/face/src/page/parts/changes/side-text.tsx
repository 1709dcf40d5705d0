import { useMemo } from 'preact/hooks';
import { linesAgainst } from './against.js';
import { LineText } from './line-text.js';
import { useColours } from './use-colours.js';
import { type Marks, wordMarks } from '../words.js';

/** A text beside another one: its own lines are marked, and in them the words that the other does not have. */
export function SideText({
  name,
  path,
  text,
  base,
}: {
  readonly name: string;
  readonly path: string;
  readonly text: string;
  readonly base: string;
}) {
  const lines = useMemo(() => linesAgainst(base, text), [base, text]);
  const colours = useColours(path, text);
  return (
    <pre tabIndex={0} aria-label={name} class="side">
      {lines.map(({ text: line, isOwn, was }, at) => (
        <span key={at} class={isOwn ? 'own' : undefined}>
          <LineText text={line} colours={colours?.[at]} marks={marksOf(line, isOwn, was)} />
          {'\n'}
        </span>
      ))}
    </pre>
  );
}

/** A line of its own without one that it was is marked whole. */
function marksOf(line: string, isOwn: boolean, was: string | undefined): Marks | undefined {
  if (!isOwn || line === '') return undefined;
  return (was === undefined ? undefined : wordMarks(was, line)?.[1]) ?? [[0, line.length]];
}
