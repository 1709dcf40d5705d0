/** What is changed, and which tests have to notice: those of the folder itself, and others that hold what it promises. */

export interface Subject {
  readonly folder: string;
  /** One of so many mutants is tried, by turns; default: each. */
  readonly every?: number;
  /** Which of so many, from 0 on: another sample than one that tests were written for. */
  readonly from?: number;
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
  {
    folder: 'core/src/codec',
    every: 97,
    also: ['core/src/graph', 'core/src/host/filed-ids.test.ts', 'core/src/room/state/partial-pack.test.ts'],
  },
  {
    folder: 'core/src/crdt',
    every: 138,
    from: 60,
    also: [
      'core/src/client/changes/observing.test.ts',
      'core/src/client/editing',
      'core/src/client/marks',
      'core/src/client/replica/concurrent.test.ts',
      'core/src/client/replica/state-hash.test.ts',
      'core/src/client/replica/why.test.ts',
      'core/src/query/value-proofs.test.ts',
      'core/src/room/keeping/image.test.ts',
      'core/src/room/keeping/letting-go.test.ts',
    ],
  },
  {
    folder: 'core/src/topology',
    every: 19,
    from: 13,
    also: [
      'core/src/host/authority.test.ts',
      'core/src/host/revoked-keys.test.ts',
      'core/src/host/roots.test.ts',
      'test/faults/promotions.test.ts',
    ],
  },
  {
    folder: 'core/src/archive',
    every: 18,
    from: 5,
    also: [
      'core/src/host/dropping.test.ts',
      'core/src/host/erased-archives.test.ts',
      'core/src/host/revoked-keys.test.ts',
      'core/src/host/roots.test.ts',
      'test/faults/archives.test.ts',
      'test/faults/restored-over.test.ts',
      'test/faults/restores.test.ts',
    ],
  },
  { folder: 'core/src/graph', every: 25, from: 12 },
  {
    folder: 'core/src/room',
    every: 132,
    from: 33,
    also: [
      'core/src/commands/lists.test.ts',
      'core/src/commands/packs.test.ts',
      'core/src/commands/texts.test.ts',
      'core/src/host/authority.test.ts',
      'core/src/host/deletions.test.ts',
      'core/src/host/dropping.test.ts',
      'core/src/host/erased-texts.test.ts',
      'core/src/host/other-hosts.test.ts',
      'core/src/host/quarantine.test.ts',
      'core/src/host/retention.test.ts',
      'core/src/host/revoked-keys.test.ts',
      'core/src/host/roots.test.ts',
      'core/src/session/meanwhile.test.ts',
      'core/src/topology/promotions.test.ts',
      'test/faults/forks.test.ts',
      'test/faults/full.test.ts',
      'test/faults/nodes.test.ts',
    ],
  },
  {
    folder: 'studio/src/rules',
    every: 151,
    from: 75,
    also: [
      'studio/src/drivers',
      'studio/src/operations',
      'studio/src/workspaces.test.ts',
      'studio/src/operations/forges/unwanted-work.system.test.ts',
      'studio/src/operations/forges/forge-bases.system.test.ts',
      'studio/src/operations/forges/forge-flows.system.test.ts',
      'studio/src/operations/forges/forge-landings.system.test.ts',
    ],
  },
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
