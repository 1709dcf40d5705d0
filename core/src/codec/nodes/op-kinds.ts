/** The wire numbers of ops. [ND6] An insert or move to the left of an element is one more than to the right. */
export const KINDS = {
  set: 0,
  delete: 1,
  'text-insert-right': 2,
  'text-insert-left': 3,
  'text-delete': 4,
  'list-insert-right': 5,
  'list-insert-left': 6,
  'list-delete': 7,
  'list-move-right': 8,
  'list-move-left': 9,
  'set-blob': 10,
  'text-mark': 11,
} as const;

/**
 * Kind, in memory alone, of a dormant op: a `set` whose value lies in the log and nowhere else. How long the value is stands
 * where others have how many elements they insert.
 */
export const DORMANT = 15;

/** Whether an op names two elements: a moved item and its place, or where a mark begins and ends. */
export function namesTwo(kind: number): boolean {
  return kind === KINDS['list-move-right'] || kind === KINDS['list-move-left'] || kind === KINDS['text-mark'];
}

export function isLeft(kind: number): boolean {
  return kind === KINDS['text-insert-left'] || kind === KINDS['list-insert-left'] || kind === KINDS['list-move-left'];
}
