/** What is changed, and which tests have to notice: those of the folder itself, and others that hold what it promises. */

export interface Subject {
  readonly folder: string;
  /** One of so many mutants is tried, by turns; default: each. */
  readonly every?: number;
  /** Test files elsewhere. */
  readonly also?: readonly string[];
}

export const subjects: readonly Subject[] = [
  {
    folder: 'core/src/access',
    also: [
      'core/src/session/entry-hook.test.ts',
      'core/src/host/joins.test.ts',
      'core/src/host/bearers.test.ts',
      'core/src/room/admission/permissions.test.ts',
    ],
  },
  { folder: 'core/src/codec', every: 20 },
  { folder: 'core/src/crdt', every: 20 },
  {
    folder: 'core/src/topology',
    every: 4,
    also: [
      'core/src/host/authority.test.ts',
      'core/src/host/revoked-keys.test.ts',
      'core/src/host/roots.test.ts',
      'test/faults/promotions.test.ts',
    ],
  },
  { folder: 'core/src/archive', every: 6 },
  { folder: 'core/src/graph', every: 7 },
  { folder: 'core/src/room', every: 20 },
  { folder: 'studio/src/rules', every: 20 },
  { folder: 'studio/src/record', every: 19 },
];

/** Where tests are that show the effects of what operations are told: those beside them first. */
export const fieldTests: readonly string[] = [
  'studio/src/operations',
  'studio/src/doors',
  'studio/src/drivers',
  'studio/src/rules',
  'studio/src/workspaces.test.ts',
  'studio/src/journey.test.ts',
];
