/** Hostile frames: every command of the wire with fields that somebody has chosen to do harm, from one seed. */
import { commandTable } from '@weft/core';
import type { Random } from '../convergence/random.js';

export type Frame = Readonly<Record<string, unknown>>;

/** What an adversary may know and name: ids and hashes that it has seen or guessed, rooms, keys, packs. */
export interface Known {
  readonly rooms: readonly string[];
  readonly nodes: readonly string[];
  readonly blobs: readonly string[];
  readonly keys: readonly string[];
  readonly packs: readonly string[];
  readonly pubkeys: readonly string[];
  readonly tokens: readonly unknown[];
}

const TYPES = [...commandTable.commands.keys()].filter((type) => type !== 'hello');
const ODD: readonly unknown[] = [
  ...[
    null,
    true,
    0,
    -1,
    1.5,
    Number.MAX_SAFE_INTEGER,
    '',
    '\0lock',
    '\0policy',
    '../x',
    '~host',
    '**',
    'x'.repeat(5000),
  ],
  ...[[], {}, [null], { selector: 'seq', canonical_seq: 1 }, { selector: 'latest' }, { $b64: 'AAAA' }, '__proto__'],
];

/** Next frame: as a friend would send it, or with some of its fields changed. */
export function hostileFrame(random: Random, known: Known): Frame {
  const type = random.pick(TYPES);
  const fields = Object.entries(friendly(type, random, known));
  const changed = fields.map(([name, value]) => [name, random.chance(20) ? anything(random, known) : value] as const);
  const kept = changed.filter(() => !random.chance(5));
  return { ...Object.fromEntries(kept), type };
}

function anything(random: Random, { rooms, nodes, blobs, keys, packs, pubkeys, tokens }: Known): unknown {
  return random.pick([
    random.pick(ODD),
    ...[rooms, nodes, blobs, keys, packs, pubkeys, tokens].map((list) => random.pick(list)),
  ]);
}

function friendly(type: string, random: Random, known: Known): Frame {
  const { rooms, nodes, blobs, keys, packs, pubkeys, tokens } = known;
  const [room, node, key, pubkey] = [rooms, nodes, keys, pubkeys].map((list) => random.pick(list));
  const checkpoint = { canonical_hash: random.pick(nodes), frontier: [node] };
  const patterns = [random.pick(['**', 'secret/**', '*', 'docs/**', String(key)])];
  const archive = {
    room,
    archive_ref: random.pick([`room://${room}`, 'file://kept.weft', 'file://mine.weft', `file:///${key}`]),
  };
  const all: Readonly<Record<string, Frame>> = {
    pack: { nodes: random.pick(packs) },
    request: { known: random.chance(50) ? [] : [node] },
    subscribe: { patterns },
    'mst-request': { paths: ['', String(node).slice(0, random.below(4))] },
    'mst-done': { missing_ids: nodes.slice(random.below(nodes.length)) },
    reconcile: {
      step: random.pick(['open', 'walk', 'ask', 'tips']),
      root: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
      size: 1,
      paths: [''],
      from: 0,
      count: 64,
      keyed: false,
      tips: '',
    },
    'blob-upload': { blobs: [{ hash: random.pick(blobs), data_b64: 'AAAA' }] },
    'blob-request': { hashes: blobs },
    'request-upload': { hash: random.pick(blobs), size: 3, content_type: 'text/html' },
    'blob-uploaded': { hash: random.pick(blobs) },
    presence: { data: { at: key } },
    'webrtc-offer': { to: pubkey, sdp: { type: 'offer', sdp: 'x' } },
    'webrtc-answer': { to: pubkey },
    'webrtc-ice': { to: pubkey },
    'set-room-key': { pubkey },
    'rotate-room-key': { pubkey },
    'revoke-token': { peer_pubkey: pubkey, before: 9e9 },
    'refresh-token': { token: random.pick(tokens) },
    'set-policy': { default: 'allow', rules: [] },
    'room.delete': { confirm: room },
    'history.prune': { before: random.below(10) },
    'value.erase': random.chance(50) ? { key } : { key, nodes: [node] },
    'values.prove': { key_prefix: random.pick(['', 'secret/', 'docs/']), limit: 1000 },
    'values.prove-part': { key: random.pick(['secret/text', 'docs/text']), kind: 'text', from: 0, to: 1 },
    'events.follow': { after: 0, key_prefix: random.pick(['', 'secret/']) },
    'projection.watch': { projection_id: random.pick(['p', 'kept']) },
    'start-tick': { interval_ms: 20, intent_prefix: random.pick(['intent/', 'secret/', 'docs/']) },
    'query.register': { query_spec_id: 'q', version: String(random.below(3)), descriptor: { prefix: '' } },
    'projection.build': { projection_id: 'p', query_spec_id: 'q', target_checkpoint: { selector: 'latest' } },
    'projection.read': { projection_id: random.pick(['p', 'kept']), limit: 1000, proof: random.chance(30) },
    'projection.list': {},
    'projection.invalidate': { projection_id: random.pick(['p', 'kept']), reason: 'x' },
    'replay.read-range': { key_prefix: random.pick(['', 'secret/', '\0']), from_lamport: 0, limit: 1000 },
    'topology.create-child': {
      child_room_id: `${room}-c`,
      child_purpose: 'p',
      promotion_policy_id: 'promotion-based',
      parent_room_id: room,
      parent_checkpoint: checkpoint,
      lock: null,
    },
    'topology.describe-lineage': { room_id: room },
    'topology.list-children': { parent_room_id: room },
    'topology.propose-promotion': {
      parent_room_id: room,
      child_room_id: room,
      child_checkpoint_hash: node,
      payload_ref: 'all',
    },
    'topology.validate-promotion': { proposal_id: 'one', parent_room_id: room },
    'topology.apply-promotion': { proposal_id: 'one', parent_room_id: room },
    'archive.describe': archive,
    'archive.validate': { ...archive, mode: 'full_integrity' },
    'archive.import': { ...archive, import_mode: 'full_apply' },
    'archive.export': { ...archive, source_room: random.pick(rooms) },
  };
  return all[type] ?? {};
}
