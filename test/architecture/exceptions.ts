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
export const importExceptions: readonly Exception[] = [
  {
    reason: 'Decoders are fuzzed one by one, and the packages do not offer them (decision 202).',
    lines: [
      'test/fuzz/targets/agents.ts -> ../../../studio/src/models/providers/programs/executors/acp-agent.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/agents.ts -> ../../../studio/src/models/providers/programs/executors/claude-code.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/agents.ts -> ../../../studio/src/models/providers/programs/executors/codex.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/agents.ts -> ../../../studio/src/models/providers/programs/acp.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/agents.ts -> ../../../studio/src/models/executor.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/agents.ts -> ../../../studio/src/models/provider.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/agents.ts -> ../../../studio/src/testing/models/provider-battery.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/agents.ts -> ../../../studio/src/workspace/programs/node-processes.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/authority.ts -> ../../../core/src/access/mandate.js (test reaches into core: use its public name)',
      'test/fuzz/targets/authority.ts -> ../../../core/src/access/succession.js (test reaches into core: use its public name)',
      'test/fuzz/targets/authority.ts -> ../../../core/src/access/word.js (test reaches into core: use its public name)',
      'test/fuzz/targets/authority.ts -> ../../../core/src/adapters/crypto/native.js (test reaches into core: use its public name)',
      'test/fuzz/targets/authority.ts -> ../../../core/src/codec/bytes/bytes.js (test reaches into core: use its public name)',
      'test/fuzz/targets/authority.ts -> ../../../core/src/crdt/value-tree/value-root.js (test reaches into core: use its public name)',
      'test/fuzz/targets/authority.ts -> ../../../core/src/crdt/value-tree/verify-values.js (test reaches into core: use its public name)',
      'test/fuzz/targets/authority.ts -> ../../../core/src/peer.js (test reaches into core: use its public name)',
      'test/fuzz/targets/forges.ts -> ../../../core/src/rejection.js (test reaches into core: use its public name)',
      'test/fuzz/targets/forges.ts -> ../../../studio/src/clock.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/forges.ts -> ../../../studio/src/reasons.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/forges.ts -> ../../../studio/src/workspace/forges/forge.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/forges.ts -> ../../../studio/src/workspace/forges/make-forge.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/codec.ts -> ../../../core/src/codec/bytes/byte-reader.js (test reaches into core: use its public name)',
      'test/fuzz/targets/codec.ts -> ../../../core/src/codec/bytes/byte-writer.js (test reaches into core: use its public name)',
      'test/fuzz/targets/codec.ts -> ../../../core/src/codec/bytes/bytes.js (test reaches into core: use its public name)',
      'test/fuzz/targets/codec.ts -> ../../../core/src/codec/bytes/deflate.js (test reaches into core: use its public name)',
      'test/fuzz/targets/codec.ts -> ../../../core/src/codec/bytes/hash.js (test reaches into core: use its public name)',
      'test/fuzz/targets/codec.ts -> ../../../core/src/codec/bytes/msgpack.js (test reaches into core: use its public name)',
      'test/fuzz/targets/codec.ts -> ../../../core/src/codec/nodes/canonical-node.js (test reaches into core: use its public name)',
      'test/fuzz/targets/codec.ts -> ../../../core/src/codec/nodes/node-id.js (test reaches into core: use its public name)',
      'test/fuzz/targets/codec.ts -> ../../../core/src/codec/nodes/node-table.js (test reaches into core: use its public name)',
      'test/fuzz/targets/codec.ts -> ../../../core/src/codec/packs/pack.js (test reaches into core: use its public name)',
      'test/fuzz/targets/codec.ts -> ../../../core/src/codec/packs/plain-pack.js (test reaches into core: use its public name)',
      'test/fuzz/targets/peers.ts -> ../../../core/src/access/authenticate.js (test reaches into core: use its public name)',
      'test/fuzz/targets/peers.ts -> ../../../core/src/access/used-proofs.js (test reaches into core: use its public name)',
      'test/fuzz/targets/peers.ts -> ../../../core/src/adapters/crypto/native.js (test reaches into core: use its public name)',
      'test/fuzz/targets/peers.ts -> ../../../core/src/codec/bytes/bytes.js (test reaches into core: use its public name)',
      'test/fuzz/targets/peers.ts -> ../../../core/src/codec/bytes/msgpack.js (test reaches into core: use its public name)',
      'test/fuzz/targets/peers.ts -> ../../../core/src/engine.js (test reaches into core: use its public name)',
      'test/fuzz/targets/peers.ts -> ../../../core/src/memory.js (test reaches into core: use its public name)',
      'test/fuzz/targets/peers.ts -> ../../../core/src/reconcile/held-ids.js (test reaches into core: use its public name)',
      'test/fuzz/targets/peers.ts -> ../../../core/src/reconcile/initiator.js (test reaches into core: use its public name)',
      'test/fuzz/targets/peers.ts -> ../../../core/src/reconcile/messages.js (test reaches into core: use its public name)',
      'test/fuzz/targets/peers.ts -> ../../../core/src/reconcile/responder.js (test reaches into core: use its public name)',
      'test/fuzz/targets/peers.ts -> ../../../core/src/reconcile/testing/dialogue.js (test reaches into core: use its public name)',
      'test/fuzz/targets/peers.ts -> ../../../core/src/reconcile/testing/rooms.js (test reaches into core: use its public name)',
      'test/fuzz/targets/peers.ts -> ../../../core/src/rejection.js (test reaches into core: use its public name)',
      'test/fuzz/targets/peers.ts -> ../../../core/src/testing/test-peer.js (test reaches into core: use its public name)',
      'test/fuzz/targets/peers.ts -> ../../../core/src/wire/frame.js (test reaches into core: use its public name)',
      'test/fuzz/targets/programs.ts -> ../../../studio/src/workspace/forges/hook.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/programs.ts -> ../../../studio/src/workspace/git/calls/git-answers.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/programs.ts -> ../../../studio/src/models/provider.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/programs.ts -> ../../../studio/src/models/providers/vendors/anthropic.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/programs.ts -> ../../../studio/src/models/providers/replies/lenient.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/programs.ts -> ../../../studio/src/models/providers/vendors/openai.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/programs.ts -> ../../../studio/src/models/providers/scripted/script.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/programs.ts -> ../../../studio/src/models/providers/scripted/scripted.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/programs.ts -> ../../../studio/src/models/providers/replies/reply.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/programs.ts -> ../../../studio/src/models/providers/programs/text-protocol.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/programs.ts -> ../../../studio/src/testing/models/provider-battery.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/programs.ts -> ../../../studio/src/workspace/files/patch-parser.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/programs.ts -> ../../../studio/src/workspace/files/patch-text.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/programs.ts -> ../../../studio/src/workspace/files/skill-head.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/programs.ts -> ../../../studio/src/workspace/programs/failures.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/programs.ts -> ../../../studio/src/workspace/programs/lint-lines.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/programs.ts -> ../../../studio/src/workspace/programs/test-counts.js (test reaches into studio: use its public name)',
      'test/fuzz/targets/rooms.ts -> ../../../core/src/archive/file-source.js (test reaches into core: use its public name)',
      'test/fuzz/targets/rooms.ts -> ../../../core/src/archive/entries.js (test reaches into core: use its public name)',
      'test/fuzz/targets/rooms.ts -> ../../../core/src/archive/manifest.js (test reaches into core: use its public name)',
      'test/fuzz/targets/rooms.ts -> ../../../core/src/archive/validate.js (test reaches into core: use its public name)',
      'test/fuzz/targets/rooms.ts -> ../../../core/src/client/replica/saved-replica.js (test reaches into core: use its public name)',
      'test/fuzz/targets/rooms.ts -> ../../../core/src/codec/bytes/byte-reader.js (test reaches into core: use its public name)',
      'test/fuzz/targets/rooms.ts -> ../../../core/src/codec/bytes/byte-writer.js (test reaches into core: use its public name)',
      'test/fuzz/targets/rooms.ts -> ../../../core/src/codec/bytes/bytes.js (test reaches into core: use its public name)',
      'test/fuzz/targets/rooms.ts -> ../../../core/src/codec/bytes/deflate.js (test reaches into core: use its public name)',
      'test/fuzz/targets/rooms.ts -> ../../../core/src/codec/packs/pack.js (test reaches into core: use its public name)',
      'test/fuzz/targets/rooms.ts -> ../../../core/src/crdt/resolution.js (test reaches into core: use its public name)',
      'test/fuzz/targets/rooms.ts -> ../../../core/src/crdt/state-tree/proof.js (test reaches into core: use its public name)',
      'test/fuzz/targets/rooms.ts -> ../../../core/src/peer.js (test reaches into core: use its public name)',
      'test/fuzz/targets/rooms.ts -> ../../../core/src/graph/node.js (test reaches into core: use its public name)',
      'test/fuzz/targets/rooms.ts -> ../../../core/src/ports/archive-store.js (test reaches into core: use its public name)',
      'test/fuzz/targets/rooms.ts -> ../../../core/src/rejection.js (test reaches into core: use its public name)',
      'test/fuzz/targets/rooms.ts -> ../../../core/src/room/keeping/snapshot.js (test reaches into core: use its public name)',
      'test/fuzz/targets/rooms.ts -> ../../../core/src/room/state/genesis.js (test reaches into core: use its public name)',
      'test/fuzz/targets/rooms.ts -> ../../../core/src/room/state/room-state.js (test reaches into core: use its public name)',
      'test/fuzz/targets/rooms.ts -> ../../../core/src/testing/altered-archive.js (test reaches into core: use its public name)',
      'test/fuzz/targets/rooms.ts -> ../../../core/src/adapters/crypto/native.js (test reaches into core: use its public name)',
    ],
  },
  {
    reason:
      'The simulator of the studio puts a studio together without its listener, which the package does not offer (decision 201).',
    lines: [
      'test/simulation/studio/disk-in-time.ts -> ../../../studio/src/clock.js (test reaches into studio: use its public name)',
      'test/simulation/studio/disk-in-time.ts -> ../../../studio/src/reasons.js (test reaches into studio: use its public name)',
      'test/simulation/studio/disk-in-time.ts -> ../../../studio/src/testing/memory-git/memory-disk.js (test reaches into studio: use its public name)',
      'test/simulation/studio/laws.ts -> ../../../studio/src/models/budgets.js (test reaches into studio: use its public name)',
      'test/simulation/studio/laws.ts -> ../../../studio/src/record/aggregates/work-unit/events.js (test reaches into studio: use its public name)',
      'test/simulation/studio/laws.ts -> ../../../studio/src/record/aggregates/work-unit/state.js (test reaches into studio: use its public name)',
      'test/simulation/studio/laws.ts -> ../../../studio/src/record/aggregates/work-unit/status.js (test reaches into studio: use its public name)',
      'test/simulation/studio/laws.ts -> ../../../studio/src/record/ledger/feed.js (test reaches into studio: use its public name)',
      'test/simulation/studio/laws.ts -> ../../../studio/src/record/views/records.js (test reaches into studio: use its public name)',
      'test/simulation/studio/laws.ts -> ../../../studio/src/rules/branches/in-scope.js (test reaches into studio: use its public name)',
      'test/simulation/studio/laws.ts -> ../../../studio/src/rules/branches/stored-branch.js (test reaches into studio: use its public name)',
      'test/simulation/studio/laws.ts -> ../../../studio/src/testing/memory-git/memory-disk.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/clock.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/doors/entry/guard.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/doors/entry/token-book.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/doors/front.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/doors/tools/agent.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/doors/webhooks/webhook-sender.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/drivers/keep-times.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/models/budgets.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/models/chosen-model.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/models/credentials.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/operations/agent-tools/table.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/operations/kernel/context.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/operations/kernel/keyed-lane.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/operations/table.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/record/ledger/causal-graph.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/record/ledger/ledger.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/record/views/records.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/rules/branches/radar.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/rules/branches/transfers.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/rules/goals/session-of.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/rules/queue/restart.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/runtime.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/studio.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/testing/memory-git/memory-disk.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/testing/record/record-digest.js (test reaches into studio: use its public name)',
      'test/simulation/studio/process.ts -> ../../../studio/src/tokens.js (test reaches into studio: use its public name)',
      'test/simulation/studio/requests.ts -> ../../../studio/src/operations/kernel/caller.js (test reaches into studio: use its public name)',
      'test/simulation/studio/requests.ts -> ../../../studio/src/operations/kernel/define.js (test reaches into studio: use its public name)',
      'test/simulation/studio/requests.ts -> ../../../studio/src/operations/kernel/input-fields.js (test reaches into studio: use its public name)',
      'test/simulation/studio/requests.ts -> ../../../studio/src/operations/table.js (test reaches into studio: use its public name)',
      'test/simulation/studio/studio-simulation.test.ts -> ../../../studio/src/operations/table.js (test reaches into studio: use its public name)',
      'test/simulation/studio/world.ts -> ../../../studio/src/operations/kernel/caller.js (test reaches into studio: use its public name)',
      'test/simulation/studio/world.ts -> ../../../studio/src/record/aggregates/repository/repository.js (test reaches into studio: use its public name)',
      'test/simulation/studio/world.ts -> ../../../studio/src/record/aggregates/work-unit/status.js (test reaches into studio: use its public name)',
      'test/simulation/studio/world.ts -> ../../../studio/src/record/views/records.js (test reaches into studio: use its public name)',
      'test/simulation/studio/world.ts -> ../../../studio/src/testing/chance.js (test reaches into studio: use its public name)',
      'test/simulation/studio/world.ts -> ../../../studio/src/testing/work/laws-of-work.js (test reaches into studio: use its public name)',
      'test/simulation/studio/world.ts -> ../../../studio/src/testing/memory-git/memory-disk.js (test reaches into studio: use its public name)',
      'test/simulation/studio/world.ts -> ../../../studio/src/testing/record/record-digest.js (test reaches into studio: use its public name)',
      'test/simulation/studio/world.ts -> ../../../studio/src/testing/models/scripted-models.js (test reaches into studio: use its public name)',
      'test/simulation/studio/world.ts -> ../../../studio/src/testing/models/simulated-models.js (test reaches into studio: use its public name)',
      'test/simulation/studio/world.ts -> ../../../studio/src/testing/work/simulated-people.js (test reaches into studio: use its public name)',
    ],
  },
  {
    reason: "The strict servers in place of vendors are the tests', and the suite of efficacy asks the same ones.",
    lines: [
      'bench/efficacy/obeyed.system.test.ts -> ../../test/vendors/anthropic-wire.js (bench reaches into test: use its public name)',
      'bench/efficacy/obeyed.system.test.ts -> ../../test/vendors/vendor.js (bench reaches into test: use its public name)',
      'bench/efficacy/obeying.ts -> ../../test/vendors/vendor.js (bench reaches into test: use its public name)',
      'bench/efficacy/policies.ts -> ../../test/vendors/vendor.js (bench reaches into test: use its public name)',
      'bench/efficacy/run-case.ts -> ../../test/vendors/anthropic-wire.js (bench reaches into test: use its public name)',
      'bench/efficacy/run-case.ts -> ../../test/vendors/vendor.js (bench reaches into test: use its public name)',
    ],
  },
  {
    reason: 'A goal with a key of one’s own is worked on by the rules that play models in the suite of efficacy.',
    lines: [
      'test/e2e/own-key.system.test.ts -> ../../bench/efficacy/policies.js (test reaches into bench: use its public name)',
    ],
  },
  {
    reason: 'What stands beside an action of the page is written by one function, and every action is held to it.',
    lines: [
      'test/surface/page-actions.test.ts -> ../../client/face/src/page/core/twin.js (test reaches into client/face: use its public name)',
    ],
  },
  {
    reason: 'Benches of a cluster start servers of the machine as tests do.',
    lines: [
      'bench/serving/machine-servers.ts -> ../../test/support/servers/nats.js (bench reaches into test: use its public name)',
      'bench/serving/machine-servers.ts -> ../../test/support/servers/postgres.js (bench reaches into test: use its public name)',
    ],
  },
];

/** Circles, of types too. */
export const circleExceptions: readonly Exception[] = [];

/** Exports without a reader. */
export const exportExceptions: readonly Exception[] = [
  {
    reason: 'Imported by its path at run time: it stays outside the bundle of the benches.',
    lines: ['bench/rivals/import-package.mjs importPackage: nothing uses it'],
  },
  {
    reason: 'The bundler puts the built page in its place, which is imported at run time.',
    lines: ['client/face/src/built.d.ts face: nothing uses it'],
  },
  {
    reason: 'Vitest takes the runner that its configuration names by a path.',
    lines: ['test/mutation/runner.ts MutationRunner: nothing uses it'],
  },
];

/** Places that export what a reader does not find by its name. */
export const unlistedExceptions: readonly Exception[] = [
  {
    reason: 'Types of a generated file, as many as the document has shapes.',
    lines: ['client/studio/src/index.ts:7 export *'],
  },
];
