/** Other rooms that a frame names, and names that are none, in the words of each family of commands. */
import { describe, expect, it } from 'vitest';
import { memoryArchives } from '../adapters/memory/memory-archives.js';
import { generateKeys } from '../peer.js';
import { ending, guests } from '../testing/guests.js';
import type { TestPeer } from '../testing/test-peer.js';
import type { Frame } from '../wire/frame.js';

const CAPS = ['topology.admin', 'archive.admin', 'archive.read', 'policy.admin', 'tick.admin', 'query.admin'];
const HASH = '0'.repeat(64);
const HALF = 'half \ud83d';

async function entered() {
  const faults: unknown[] = [];
  const archives = { stores: { file: memoryArchives() } };
  const place = guests({ archives, onFault: (fault) => void faults.push(fault) });
  const { host } = place;
  const write = (room: string) => host.withRoom(room, (opened) => opened.set('k', room));
  for (const room of ['room', 'other']) await write(room);
  const checkpoint = await host.withRoom('room', async ({ stateHash, heads }) => ({
    canonical_hash: stateHash,
    frontier: heads.frontier,
  }));
  const peer = await place.enter(await place.hello(generateKeys(), CAPS));
  const isThere = ending(peer);
  const ask = async (frame: object): Promise<Frame> => answerTo(peer, frame);
  const child = { child_room_id: 'child', child_purpose: 'p', promotion_policy_id: 'promotion-based' };
  const created = await ask({ type: 'topology.create-child', ...child, parent_checkpoint: checkpoint });
  expect(created.type).toBe('topology.create-child.completed');
  await write('child');
  const hash = await host.withRoom('child', async ({ stateHash }) => stateHash);
  const proposal = { type: 'topology.propose-promotion', child_room_id: 'child', child_checkpoint_hash: hash };
  const { proposal_id } = await ask({ ...proposal, payload_ref: 'all', idempotency_key: 'mine' });
  expect(proposal_id).toBe('mine');
  return { host, ask, faults, proposal, checkpoint, child, isOpen: () => isThere() === undefined };
}

let asked = 0;

async function answerTo(peer: TestPeer, frame: object): Promise<Frame> {
  const req_id = ++asked;
  peer.send({ ...frame, req_id });
  for (;;) {
    const answer = await peer.next();
    if (answer['req_id'] === req_id) return answer;
  }
}

describe('a room that was deleted', () => {
  it.each<[string, object]>([
    ['room_not_found', { type: 'topology.describe-lineage', room_id: 'other' }],
    ['room_not_found', { type: 'topology.list-children', parent_room_id: 'other' }],
    [
      'lineage_parent_not_found',
      {
        type: 'topology.create-child',
        parent_room_id: 'other',
        child_room_id: 'new',
        child_purpose: 'p',
        promotion_policy_id: 'reference-only',
        parent_checkpoint: { canonical_hash: HASH, frontier: [HASH] },
      },
    ],
    [
      'promotion_invalid_lineage',
      {
        type: 'topology.propose-promotion',
        parent_room_id: 'other',
        child_room_id: 'room',
        child_checkpoint_hash: HASH,
        payload_ref: 'all',
      },
    ],
    ['promotion_not_found', { type: 'topology.validate-promotion', parent_room_id: 'other', proposal_id: 'x' }],
    ['promotion_not_found', { type: 'topology.preview-promotion', parent_room_id: 'other', proposal_id: 'x' }],
    ['promotion_not_found', { type: 'topology.apply-promotion', parent_room_id: 'other', proposal_id: 'x' }],
  ])('[TP10] is %s where %o names it', async (name, frame) => {
    const { host, ask } = await entered();
    await host.submit({ room_id: 'other', command: { DeleteRoom: { confirm: 'other' } } });
    const msg = `reject.${name}: room other was deleted`;
    expect(await ask(frame)).toMatchObject({ type: 'error', code: `reject.${name}`, msg });
  });

  it.each(['validate', 'preview', 'apply'])('[TP10] is no child any more that could be promoted: %s', async (step) => {
    const { host, ask } = await entered();
    await ask({ type: 'topology.validate-promotion', proposal_id: 'mine' });
    await host.submit({ room_id: 'child', command: { DeleteRoom: { confirm: 'child' } } });
    const code = 'reject.promotion_child_checkpoint_mismatch';
    const refused = { type: 'error', code, msg: `${code}: room child was deleted` };
    expect(await ask({ type: `topology.${step}-promotion`, proposal_id: 'mine' })).toMatchObject(refused);
  });

  it('[AR1] is no source of an archive', async () => {
    const { host, ask } = await entered();
    await host.submit({ room_id: 'other', command: { DeleteRoom: { confirm: 'other' } } });
    const from = { room: 'room', archive_ref: 'room://other' };
    const reason = 'reject.archive_checkpoint_not_found';
    const rejected = { reason_class: reason, reason_message: 'room other was deleted' };
    const frames: [object, object][] = [
      [
        { type: 'archive.validate', mode: 'full_integrity', ...from },
        { type: 'archive.validate.rejected', ...rejected },
      ],
      [
        { type: 'archive.import', import_mode: 'full_apply', ...from },
        { type: 'archive.import.rejected', ...rejected },
      ],
      [
        { type: 'archive.export', room: 'room', source_room: 'other', archive_ref: 'file://a.weft' },
        { type: 'archive.export.rejected', ...rejected },
      ],
      [
        { type: 'archive.describe', ...from },
        { type: 'error', code: reason, msg: `${reason}: room other was deleted` },
      ],
    ];
    for (const [frame, answer] of frames) expect(await ask(frame)).toMatchObject(answer);
  });
});

it('[QU1] an answer names the other room that is quarantined', async () => {
  const { host, ask } = await entered();
  await host.quarantine('other', 'too loud');
  const answer = await ask({ type: 'topology.describe-lineage', room_id: 'other' });
  expect(answer).toMatchObject({ type: 'error', code: 'room-quarantined', room: 'other' });
});

describe('a name with half a character', () => {
  it('[TP10] is no part of a proposal, and no fault of the room', async () => {
    const { ask, proposal, isOpen, faults } = await entered();
    const code = 'reject.promotion_invalid_lineage';
    for (const half of [
      { payload_ref: 'all', idempotency_key: HALF },
      { payload_ref: `glob:${HALF}` },
      { payload_ref: 'all', child_room_id: HALF },
      { payload_ref: 'all', child_room_id: '../child' },
    ])
      expect(await ask({ ...proposal, ...half })).toMatchObject({ type: 'error', code });
    expect([isOpen(), faults]).toEqual([true, []]);
  });

  it('[TP10] is not said of a child: another one would be kept', async () => {
    const { ask, child, checkpoint } = await entered();
    const wanted = { type: 'topology.create-child', ...child, child_room_id: 'new', parent_checkpoint: checkpoint };
    for (const half of [{ child_purpose: HALF }, { created_by: HALF }])
      expect(await ask({ ...wanted, ...half })).toMatchObject({ code: 'reject.lineage_invalid_checkpoint' });
  });

  it('[ER1] is refused where something else would be stored', async () => {
    const { ask } = await entered();
    const rules = [{ path_glob: HALF, can_write: [] }];
    const policy = await ask({ type: 'set-policy', default: 'allow', rules });
    expect(policy).toMatchObject({ code: 'invalid-payload', msg: 'set-policy: a path_glob holds half a character' });
    const ticking = await ask({ type: 'start-tick', intent_prefix: `${HALF}/` });
    expect(ticking).toMatchObject({ code: 'invalid-payload' });
    const invalidated = await ask({ type: 'projection.invalidate', projection_id: 'p', reason: HALF });
    expect(invalidated).toMatchObject({ reason_class: 'reject.invalid_payload' });
  });
});
