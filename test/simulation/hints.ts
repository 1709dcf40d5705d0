/** What the schemas of commands leave open: names, patterns, and shapes that a handler reads by itself. */
import { createHash } from 'node:crypto';
import { fromBase64, toBase64, toHex } from '@weft/core';
import type { Random } from '../convergence/random.js';
import type { KnownOfRooms } from './generated.js';
import type { Hints, Known } from './values.js';

const KEYS = ['docs/a', 'docs/b', 'docs/text', 'docs/list', 'secret/a', 'intent/x', 'docs/own/c'];
export const CHILDREN: readonly string[] = ['child-1', 'child-2', 'child-3', 'child-4'];
export const ROOMS: readonly string[] = ['open', 'locked', ...CHILDREN, 'back-1'];
const BLOBS = ['one', 'two', 'three'];

const some = (random: Random, known: Known, ...names: string[]): unknown => {
  const values = names.flatMap((name) => known.of(name));
  return values.length > 0 ? random.pick(values) : '0'.repeat(64);
};
const key = (random: Random): string => random.pick(KEYS);
const room = (random: Random): string => random.pick(ROOMS);
const hash = (random: Random): string => createHash('sha256').update(random.pick(BLOBS)).digest('hex');
const pubkey = (random: Random, known: Known): unknown => some(random, known, 'pubkey');
const archive = (random: Random): string => `file://${random.pick(['one', 'two'])}.weft`;
const patterns = (random: Random): string[] => [random.pick(['**', 'docs/**', 'secret/**', '*', 'docs/a'])];
const family = (random: Random, known: KnownOfRooms): object => {
  if (known.rooms.size === 0) return {};
  const locked = known.rooms.get('locked');
  const [parent, parent_checkpoint] =
    locked && random.chance(50) ? (['locked', locked] as const) : random.pick([...known.rooms]);
  return { parent_room_id: parent, parent_checkpoint };
};
const proposal = (random: Random, known: KnownOfRooms): object => {
  const children = [...known.parents].filter(([name]) => known.rooms.has(name));
  if (children.length === 0) return {};
  const [child, parent] = random.pick(children);
  const { canonical_hash } = known.rooms.get(child)!;
  return { child_room_id: child, parent_room_id: parent, child_checkpoint_hash: canonical_hash, payload_ref: 'all' };
};
const rules = (random: Random, known: Known): unknown =>
  random.pick([[], [{ path_glob: random.pick(['docs/own/**', 'docs/b', '**']), can_write: [pubkey(random, known)] }]]);
const policy = (random: Random, known: Known): unknown => ({
  default: random.pick(['allow', 'allow', 'deny']),
  rules: rules(random, known),
});
/** One that somebody has sent, as it was or with a bit of it turned. */
const pack = (random: Random, known: Known): string => {
  const bytes = fromBase64(String(known.of('pack').length > 0 ? random.pick(known.of('pack')) : 'AAAA'));
  if (random.chance(50)) bytes[random.below(bytes.length)]! ^= 1 << random.below(8);
  return toBase64(bytes);
};
const position = (random: Random): number => random.below(20);
const nodes = (random: Random, known: Known): unknown[] => [some(random, known, 'frontier', 'node')];
const checkpoint = (random: Random, known: Known): unknown =>
  random.pick([
    { selector: 'latest' },
    { selector: 'seq', canonical_seq: random.below(20) },
    { selector: 'hash', canonical_hash: some(random, known, 'canonical_hash') },
    { selector: 'frontier', frontier: [some(random, known, 'frontier')] },
  ]);

export const hints: Hints<KnownOfRooms> = {
  key,
  key_prefix: (random) => random.pick(['', 'docs/', 'secret/']),
  patterns,
  room,
  room_id: room,
  child_room_id: (random) => random.pick(CHILDREN),
  confirm: (_, known) => (known.here === 'open' || known.here === 'locked' ? 'no' : known.here),
  peer_pubkey_hex: (_, known) => known.of('pubkey')[0],
  hello: (_, known) => ({ peer_pubkey_hex: known.of('pubkey')[0] }),
  parent_room_id: (random, known) => random.pick([...known.parents.values(), 'open', 'locked']),
  promotion_policy_id: (random) => random.pick(['promotion-based', 'promotion-based', 'reference-only']),
  child_purpose: () => 'to try something',
  'topology.create-child': family,
  CreateTopologyChild: family,
  'topology.propose-promotion': proposal,
  ProposeTopologyPromotion: proposal,
  lock: pubkey,
  policy,
  on_conflict: (random) => random.pick(['reject', 'merge']),
  payload_ref: () => 'all',
  archive_ref: archive,
  import_mode: () => 'full_apply',
  pubkey,
  pubkey_hex: pubkey,
  to: pubkey,
  peer_pubkey: pubkey,
  before: () => Math.floor(Date.now() / 1000) + 60,
  'history.prune.before': position,
  'PruneHistory.before': position,
  'value.erase.nodes': nodes,
  'EraseValue.nodes': nodes,
  'values.prove-part.from': (random) => random.below(3),
  'values.prove-part.to': (random) => 3 + random.below(3),
  hash,
  hashes: (random) => [hash(random)],
  namespace: () => 'docs',
  data_b64: (random) => toBase64(new TextEncoder().encode(random.pick(BLOBS))),
  blobs: (random) => {
    const text = random.pick(BLOBS);
    return [
      { hash: createHash('sha256').update(text).digest('hex'), data_b64: toBase64(new TextEncoder().encode(text)) },
    ];
  },
  default: (random) => random.pick(['allow', 'allow', 'deny']),
  rules: (random, known) =>
    random.pick([
      [],
      [{ path_glob: random.pick(['docs/own/**', 'docs/b', '**']), can_write: [pubkey(random, known)] }],
    ]),
  descriptor: (random) => random.pick([{}, { prefix: 'docs/' }, { prefix: '', kind: 'register' }]),
  query_spec_id: () => 'q',
  version: (random) => String(1 + random.below(3)),
  projection_id: (random) => random.pick(['p', 'p2']),
  target_checkpoint: checkpoint,
  selector: checkpoint,
  interval_ms: (random) => 20 + random.below(500),
  intent_prefix: () => 'intent/',
  session_id: (random) => 1 + random.below(2),
  value: (random) => random.pick(['v', 1, null, { a: 1 }]),
  data: (random) => ({ at: key(random) }),
  nodes: pack,
  nodes_b64: pack,
  pack_b64: pack,
  token: (random, known) => some(random, known, 'token'),
  content_type: () => 'text/plain',
  state_filter: (random) => random.pick(['all', 'active', 'invalidated']),
  mode: (random) => random.pick(['metadata_only', 'full_integrity']),
  sdp: () => ({ type: 'offer', sdp: 'x' }),
  payload: () => ({ sdp: { type: 'offer', sdp: 'x' } }),
  limit: (random) => 1 + random.below(50),
  capabilities: () => ({}),
  mst_root: () => toHex(new Uint8Array(32)),
  step: (random) => random.pick(['open', 'walk', 'ask', 'tips']),
};
