/** Rows that stay as they were drawn while they say the same: each read brings all of them anew, and few have changed. */
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';

/** Draws rows by their names; what is drawn follows from the row alone. */
export function useKeptRows<Row>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  draw: (row: Row) => VNode,
): readonly VNode[] {
  const { current: kept } = useRef<{ drawn: ReadonlyMap<string, { says: string; as: VNode }> }>({ drawn: new Map() });
  const drawn = new Map(
    rows.map((row) => {
      const [name, says] = [nameOf(row), JSON.stringify(row)];
      const before = kept.drawn.get(name);
      return [name, before?.says === says ? before : { says, as: draw(row) }];
    }),
  );
  kept.drawn = drawn;
  return [...drawn.values()].map(({ as }) => as);
}
