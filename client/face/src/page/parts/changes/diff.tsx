/** A file's changes: rows of one height, of which only those in sight are in the document, however many there are. */
import type { ProposalFileChange } from '@weft/studio-client';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { LineColours } from './colours.js';
import { type Line, type Row, rowsOf, tallyOf } from './diff-rows.js';
import { LineText } from './line-text.js';
import type { FileMoves, Move } from './moved.js';
import { kept } from '../kept.js';
import { visible } from '../text.js';
import { useColours } from './use-colours.js';
import { type Marks, wordMarks } from '../words.js';

/** Height of a row in pixels, as the style sheet has it. */
const ROW = 20;
/** Rows of a block, which is drawn as a whole and then stays where it is: a scroll costs what comes into sight. */
const BLOCK = 4;
/** Blocks that are drawn beyond what is in sight. */
const SPARE = 5;
/** Columns of a line that can be scrolled to. */
const MOST_COLUMNS = 2_000;
/** Files with fewer rows are drawn whole, so that the browser's own search finds them. */
const WHOLE = 400;

export interface LineComment {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export interface FileDiffProps {
  readonly change: ProposalFileChange;
  readonly moves?: FileMoves | undefined;
  readonly isSplit: boolean;
  readonly comments: readonly LineComment[];
  readonly onComment: (comment: LineComment) => void;
}

/** What rows of one file are drawn with. */
interface Paint {
  readonly before?: LineColours | undefined;
  readonly after?: LineColours | undefined;
  readonly moves?: FileMoves | undefined;
}

export function FileDiff({ change, moves, isSplit, comments, onComment }: FileDiffProps) {
  const { path, changeKind, hunks, beforeContent = '', afterContent = '' } = change;
  const rows = useMemo(() => rowsOf(change, isSplit), [change, isSplit]);
  const { added, removed } = useMemo(() => tallyOf(change), [change]);
  const [before, after] = [useColours(path, beforeContent), useColours(path, afterContent)];
  const paint = useMemo<Paint>(() => ({ before, after, moves }), [before, after, moves]);
  const [line, setLine] = useState<number | undefined>(undefined);
  const section = useRef<HTMLElement>(null);
  const own = comments.filter((comment) => comment.path === path);
  return (
    <section ref={section} class="file" id={`file-${path}`} aria-label={visible(path)}>
      <header class="file-head row">
        <h3 class="grow cut">{visible(path)}</h3>
        <span class="quiet">{changeKind}</span>
        <span class="added-count">+{added}</span>
        <span class="removed-count">−{removed}</span>
      </header>
      {hunks.length === 0 ? (
        <p class="quiet">No text to show: it is no text, or only its mode or name has changed.</p>
      ) : (
        <Rows rows={rows} paint={paint} isSplit={isSplit} onLine={setLine} />
      )}
      {line !== undefined && (
        <Comment
          path={path}
          line={line}
          onDone={(text) => {
            if (text !== '') onComment({ path, line, text });
            setLine(undefined);
            // Back to where the comment was begun.
            section.current?.querySelector<HTMLElement>(`[aria-label="Comment on line ${line}"]`)?.focus();
          }}
        />
      )}
      {own.length > 0 && (
        <ul class="comments">
          {own.map((comment) => (
            <li key={`${comment.line} ${comment.text}`}>
              <b>Line {comment.line}</b> {visible(comment.text)}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Comment({
  path,
  line,
  onDone,
}: {
  readonly path: string;
  readonly line: number;
  readonly onDone: (text: string) => void;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState('');
  // Before anything is painted: letters that came before it has the focus would do what they stand for, such as landing this.
  useLayoutEffect(() => field.current?.focus(), [line]);
  return (
    <form
      class="comment"
      onSubmit={(event) => {
        event.preventDefault();
        onDone(text.trim());
      }}
    >
      <label>
        Comment on line {line} of {visible(path)}
        <textarea
          ref={field}
          name="comment"
          rows={2}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onDone('');
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onDone(text.trim());
          }}
        />
      </label>
      <button type="submit" class="main">
        Keep the comment
      </button>
      <button type="button" onClick={() => onDone('')}>
        Discard
      </button>
    </form>
  );
}

function Rows({
  rows,
  paint,
  isSplit,
  onLine,
}: {
  readonly rows: readonly Row[];
  readonly paint: Paint;
  readonly isSplit: boolean;
  readonly onLine: (line: number) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const longest = useMemo(
    () => rows.reduce((most, row) => Math.min(MOST_COLUMNS, Math.max(most, widthOf(row))), 0),
    [rows],
  );
  const blocks = Math.ceil(rows.length / BLOCK);
  const [[from, to], setRange] = useState<readonly [number, number]>([0, Math.min(blocks, WHOLE / BLOCK)]);
  useEffect(() => {
    if (rows.length <= WHOLE) return setRange([0, blocks]);
    const look = (): void => {
      const top = -(box.current?.getBoundingClientRect().top ?? 0);
      const first = Math.max(0, Math.floor(top / ROW / BLOCK) - SPARE);
      const last = Math.min(blocks, Math.ceil((top + innerHeight) / ROW / BLOCK) + SPARE);
      setRange(([a, b]) => (a === first && b === last ? [a, b] : [first, Math.max(first, last)]));
    };
    look();
    document.addEventListener('scroll', look, { passive: true, capture: true });
    addEventListener('resize', look);
    return () => {
      document.removeEventListener('scroll', look, { capture: true });
      removeEventListener('resize', look);
    };
  }, [rows]);
  const rowsDrawn = (
    <div
      ref={box}
      class={`diff ${isSplit ? 'split' : 'inline'}`}
      role="table"
      aria-rowcount={rows.length}
      aria-label="Changed lines"
      style={{ height: `${rows.length * ROW}px`, '--longest': longest }}
    >
      {Array.from({ length: Math.max(0, Math.min(to, blocks) - from) }, (_none, at) => (
        <Block key={from + at} rows={rows} first={(from + at) * BLOCK} paint={paint} onLine={onLine} />
      ))}
    </div>
  );
  if (!isSplit) return rowsDrawn;
  const shift = ({ currentTarget: { scrollLeft } }: { readonly currentTarget: HTMLElement }): void => {
    box.current?.style.setProperty('--shift', `${-scrollLeft}px`);
    box.current?.classList.toggle('shifted', scrollLeft > 0);
  };
  return (
    <>
      {rowsDrawn}
      <div class="sideways" tabIndex={0} role="group" aria-label="Move both sides sideways" onScroll={shift}>
        <div style={{ '--longest': longest }} />
      </div>
    </>
  );
}

/** Columns of the longest line of a row, so that both sides are as wide in every row and can be scrolled to their ends. */
function widthOf(row: Row): number {
  if (row.kind === 'hunk') return 0;
  const lines = row.kind === 'line' ? [row.line] : [row.left, row.right];
  return Math.max(...lines.map((line) => visible(line?.text ?? '').replaceAll('\t', '    ').length));
}

/** Rows from the first of a block to its last. */
const Block = kept(function Block({
  rows,
  first,
  ...more
}: {
  readonly rows: readonly Row[];
  readonly first: number;
  readonly paint: Paint;
  readonly onLine: (line: number) => void;
}) {
  return (
    <div class="diff-block" role="rowgroup" style={{ top: `${first * ROW}px` }}>
      {rows.slice(first, first + BLOCK).map((row, at) => (
        <DiffRow key={at} row={row} index={first + at} {...more} />
      ))}
    </div>
  );
});

function DiffRow({
  row,
  paint,
  index,
  onLine,
}: {
  readonly row: Row;
  readonly paint: Paint;
  readonly index: number;
  readonly onLine: (line: number) => void;
}) {
  if (row.kind === 'hunk')
    return (
      <div class="diff-row hunk" role="row" aria-rowindex={index + 1}>
        <span role="cell">{visible(row.text)}</span>
      </div>
    );
  if (row.kind === 'line')
    return (
      <div class={`diff-row ${row.line.kind}`} role="row" aria-rowindex={index + 1}>
        <span class="number" role="cell">
          {row.line.before}
        </span>
        <LineNumber line={row.line} onLine={onLine} />
        <Cell line={row.line} paint={paint} />
      </div>
    );
  return (
    <div class="diff-row" role="row" aria-rowindex={index + 1}>
      <span class="number" role="cell">
        {row.left?.before}
      </span>
      <Cell line={row.left} paint={paint} />
      {row.right ? <LineNumber line={row.right} onLine={onLine} /> : <span class="number" role="cell" />}
      <Cell line={row.right} paint={paint} />
    </div>
  );
}

/** Number of a line after the change, which takes a comment. */
function LineNumber({ line, onLine }: { readonly line: Line; readonly onLine: (line: number) => void }) {
  const { after } = line;
  if (after === undefined) return <span class="number" role="cell" />;
  return (
    <span class="number" role="cell">
      <button type="button" aria-label={`Comment on line ${after}`} onClick={() => onLine(after)}>
        {after}
      </button>
    </span>
  );
}

const SIGNS = { context: ' ', added: '+', removed: '−' } as const;

function Cell({ line, paint }: { readonly line: Line | undefined; readonly paint: Paint }) {
  if (!line) return <span class="code none" role="cell" />;
  const { kind, text, before = 0, after = 0 } = line;
  const isBefore = kind === 'removed';
  const move = isBefore ? paint.moves?.gone.get(before) : paint.moves?.come.get(after);
  const colours = isBefore ? paint.before?.[before - 1] : paint.after?.[after - 1];
  return (
    <span
      class={`code ${kind}${move ? ' moved' : ''}`}
      role="cell"
      title={move && `moved ${isBefore ? 'to' : 'from'} ${placeOf(move)}`}
    >
      <span class="sign" role={kind === 'context' ? undefined : 'img'} aria-label={signOf(kind, move)}>
        {move ? (isBefore ? '⇠' : '⇢') : SIGNS[kind]}
      </span>
      <span class="text">
        <LineText text={text} colours={colours} marks={marksOf(line)} />
      </span>
    </span>
  );
}

function signOf(kind: Line['kind'], move: Move | undefined): string | undefined {
  if (kind === 'context') return undefined;
  return move ? `${kind}, moved ${kind === 'removed' ? 'to' : 'from'} ${placeOf(move)}` : kind;
}

function placeOf({ path, line }: Move): string {
  return `${visible(path)}:${line}`;
}

/** Marks of lines that were drawn: words are compared when they come into sight, once for both sides. */
const compared = new Map<string, ReturnType<typeof wordMarks>>();
const MOST_COMPARED = 1_000;

function marksOf({ kind, text, counterpart }: Line): Marks | undefined {
  if (counterpart === undefined) return undefined;
  const [before, after] = kind === 'removed' ? [text, counterpart] : [counterpart, text];
  const key = `${before}\n${after}`;
  if (!compared.has(key)) {
    if (compared.size === MOST_COMPARED) compared.clear();
    compared.set(key, wordMarks(before, after));
  }
  return compared.get(key)?.[kind === 'removed' ? 0 : 1];
}
