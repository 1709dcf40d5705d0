/** The wire numbers of ops. [ND6] An insert or move to the left of an element is one more than to the right. */
export const OP_SET = 0;
export const OP_DELETE = 1;
export const OP_TEXT_INSERT_RIGHT = 2;
export const OP_TEXT_INSERT_LEFT = 3;
export const OP_TEXT_DELETE = 4;
export const OP_LIST_INSERT_RIGHT = 5;
export const OP_LIST_INSERT_LEFT = 6;
export const OP_LIST_DELETE = 7;
export const OP_LIST_MOVE_RIGHT = 8;
export const OP_LIST_MOVE_LEFT = 9;
export const OP_SET_BLOB = 10;
export const OP_TEXT_MARK = 11;

/**
 * Kind, in memory alone, of a dormant op: a `set` whose value lies in the log and nowhere else. How long the value is stands
 * where others have how many elements they insert.
 */
export const DORMANT = 15;

/** Whether an op names two elements: a moved item and its place, or where a mark begins and ends. */
export function namesTwo(kind: number): boolean {
  return kind === OP_LIST_MOVE_RIGHT || kind === OP_LIST_MOVE_LEFT || kind === OP_TEXT_MARK;
}

export function isLeft(kind: number): boolean {
  return kind === OP_TEXT_INSERT_LEFT || kind === OP_LIST_INSERT_LEFT || kind === OP_LIST_MOVE_LEFT;
}
