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
} as const;
