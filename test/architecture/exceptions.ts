import { circleOf } from './import-cycles.js';

/**
 * Exceptions: what breaks a rule of this folder and is let through, each with its reason. The lists may only shrink: an entry that
 * no rule reports any more fails as well, until it is taken off.
 */
export interface Exception {
  readonly reason: string;
  /** Lines as the rule reports them. */
  readonly lines: readonly string[];
}

/** Lines that a rule reports and no exception lets through, and exceptions that no longer let anything through. */
export function unexcused(reported: readonly string[], exceptions: readonly Exception[]): string[] {
  const listed = new Set(exceptions.flatMap(({ lines }) => lines));
  const unneeded = [...listed].filter((line) => !reported.includes(line));
  return [
    ...reported.filter((line) => !listed.has(line)),
    ...unneeded.map((line) => `no longer so, take it off the list: ${line}`),
  ];
}

/** Breaches of the rules of `layers.ts`. */
export const importExceptions: readonly Exception[] = [];

/** Circles that only types close. Those that values close have no exceptions. */
export const circleExceptions: readonly Exception[] = [
  {
    reason: 'What commands, sessions and host share (command, effect and context types) has no folder of its own yet.',
    lines: [
      circleOf([
        'core/src/commands/admin.ts',
        'core/src/commands/archive.ts',
        'core/src/commands/blobs.ts',
        'core/src/commands/compact.ts',
        'core/src/commands/conflicts.ts',
        'core/src/commands/define.ts',
        'core/src/commands/inspect.ts',
        'core/src/commands/join.ts',
        'core/src/commands/lists.ts',
        'core/src/commands/notices.ts',
        'core/src/commands/presence.ts',
        'core/src/commands/query.ts',
        'core/src/commands/reconcile.ts',
        'core/src/commands/relay.ts',
        'core/src/commands/rooms.ts',
        'core/src/commands/sessions.ts',
        'core/src/commands/sync.ts',
        'core/src/commands/table.ts',
        'core/src/commands/texts.ts',
        'core/src/commands/tick.ts',
        'core/src/commands/topology.ts',
        'core/src/commands/values.ts',
        'core/src/session/checks.ts',
        'core/src/session/host-session.ts',
        'core/src/session/host-sessions.ts',
        'core/src/session/parts.ts',
        'core/src/session/relay.ts',
        'core/src/session/session.ts',
      ]),
    ],
  },
  {
    reason: 'Two files that were one thing and are not taken apart yet.',
    lines: [
      circleOf(['core/src/crdt/elements.ts', 'core/src/crdt/list.ts']),
      circleOf(['core/src/room/batch.ts', 'core/src/room/commit.ts']),
      circleOf(['core/src/host/rooms.ts', 'core/src/host/sleepers.ts', 'core/src/host/tenancy.ts']),
      circleOf([
        'studio/src/aggregates/agent-profile/agent-profile.ts',
        'studio/src/aggregates/agent-profile/built-in.ts',
      ]),
      circleOf(['studio/src/operations/context.ts', 'studio/src/operations/deliveries.ts']),
    ],
  },
];

/** Exports without a reader. */
export const exportExceptions: readonly Exception[] = [
  {
    reason: 'Imported by its path at run time: it stays outside the bundle of the benches.',
    lines: ['bench/rivals/import-package.mjs importPackage: nothing uses it'],
  },
  {
    reason: 'The folders of these files are being moved: the word `export` goes when they have arrived.',
    lines: [
      'core/src/archive/entries.ts INDEX_ROW: only this file uses it',
      'core/src/archive/entries.ts MOST_PACK: only this file uses it',
      'core/src/archive/entries.ts MOST_SNAPSHOT: only this file uses it',
      'core/src/archive/manifest.ts genesisIn: only this file uses it',
      'core/src/codec/canonical-node.ts NODE_VERSION: only this file uses it',
      'core/src/codec/key-table.ts checkKey: only this file uses it',
      'core/src/codec/op.ts itemsOf: only this file uses it',
      'core/src/codec/pack-columns.ts COLUMNS: only this file uses it',
      'core/src/codec/pack-columns.ts ColumnWriter: only this file uses it',
      'core/src/codec/rows.ts ROWS: only this file uses it',
      'core/src/crdt/state-leaf.ts encodedKey: only this file uses it',
      'core/src/crdt/state-tree/node-body.ts MAX_BODY_BYTES: only this file uses it',
      'core/src/host/tick.ts WORLD: only this file uses it',
      'core/src/query/gate.ts GATE: only this file uses it',
      'core/src/query/json.ts bytesAsJson: only this file uses it',
      'core/src/query/rows.ts ROW_BOUNDS: only this file uses it',
      'core/src/reconcile/id-filters.ts LARGEST_FILTER: only this file uses it',
      'core/src/reconcile/messages.ts FEW_HEADS: only this file uses it',
      'core/src/room/genesis.ts GENESIS_KEY: only this file uses it',
      'core/src/room/laws.ts isGreater: only this file uses it',
      'core/src/room/laws.ts lawAt: only this file uses it',
      'core/src/room/opening.ts packOf: only this file uses it',
      'core/src/room/parking.ts Unsealed: only this file uses it',
      'core/src/room/state.ts ROOM_BYTES: only this file uses it',
      'core/src/testing/archive-sites.ts putBlob: only this file uses it',
      'core/src/wire/negotiable.ts NEGOTIABLE: only this file uses it',
      'core/src/wire/scalars.ts HashHex: nothing uses it',
      'studio/src/agents/providers/scripted.ts recordedResults: only tests use it',
      'studio/src/aggregates/artifact/events.ts artifactGiven: only this file uses it',
      'studio/src/aggregates/conflict/conflict.ts CONFLICT_KINDS: only this file uses it',
      'studio/src/aggregates/merge-proposal/events.ts proposalGiven: only this file uses it',
      'studio/src/demo/script.ts RECONCILE: only this file uses it',
      'studio/src/demo/script.ts SHOW: only this file uses it',
      'studio/src/demo/script.ts SUBTRACT: only this file uses it',
      'studio/src/flows/requeue.ts isReady: only this file uses it',
      'studio/src/operations/shapes/branch.ts BRANCH_STATUSES: only this file uses it',
      'studio/src/operations/shapes/clarification.ts CLARIFICATION_STATUSES: only this file uses it',
      'studio/src/operations/workspace-target.ts RUNNING_REFUSALS: only this file uses it',
      'studio/src/projections/delta.ts unchangedFor: only tests use it',
      'studio/src/testing/fake-vendor.ts anthropicVendor: only this file uses it',
      'studio/src/testing/linked-rooms.ts Link: only this file uses it',
      'studio/src/testing/tally.ts MOST: only this file uses it',
      'studio/src/workspace/ref-names.ts branchOfRef: only tests use it',
    ],
  },
];
