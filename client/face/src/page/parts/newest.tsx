/** Lists that grow with the record: their newest rows, and more of them when somebody asks. */
import { useState } from 'preact/hooks';
import { count } from './ui.js';

/** Rows that are read at first, and with each step. */
const STEP = 200;
/** Rows that the studio gives at most. */
const MOST = 1000;

/** How many rows are wanted, and how to want more. */
export function useNewest(): readonly [newest: number, more: () => void] {
  const [newest, setNewest] = useState(STEP);
  return [newest, () => setNewest(Math.min(MOST, newest + STEP))];
}

export function More({
  shown,
  newest,
  onMore,
}: {
  readonly shown: number;
  readonly newest: number;
  readonly onMore: () => void;
}) {
  if (shown < newest) return null;
  return newest < MOST ? (
    <p>
      <button type="button" onClick={onMore}>
        Older ones, too
      </button>
    </p>
  ) : (
    <p class="quiet">These are the newest {count(MOST)}. Older ones are found by their words: ⌘K or Ctrl+K.</p>
  );
}
