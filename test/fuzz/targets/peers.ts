/** What peers say: frames, messages of a reconciliation, tokens and proofs of key. */
import { authenticate } from '../../../core/src/access/authenticate.js';
import { UsedProofs } from '../../../core/src/access/used-proofs.js';
import { nativeCrypto } from '../../../core/src/adapters/crypto/native.js';
import { DecodeError, fromBase64, toBase64 } from '../../../core/src/codec/bytes/bytes.js';
import { encodeValue } from '../../../core/src/codec/bytes/msgpack.js';
import { createHost } from '../../../core/src/engine.js';
import { memoryStore } from '../../../core/src/memory.js';
import { HeldIds } from '../../../core/src/reconcile/held-ids.js';
import { Initiator } from '../../../core/src/reconcile/initiator.js';
import type { Message } from '../../../core/src/reconcile/messages.js';
import { Responder } from '../../../core/src/reconcile/responder.js';
import { talk } from '../../../core/src/reconcile/testing/dialogue.js';
import { WrittenRoom } from '../../../core/src/reconcile/testing/rooms.js';
import { Rejection } from '../../../core/src/rejection.js';
import { testPeer } from '../../../core/src/testing/test-peer.js';
import { parseFrame } from '../../../core/src/wire/frame.js';
import { sentFrames } from '../seeds.js';
import { type Target, bytesOf, textOf } from '../target.js';
import { isDecodeError } from './codec.js';

const BYTES = 'base64:';
export const isRefusal = (error: unknown): boolean => error instanceof Rejection || isDecodeError(error);

/** JSON in which bytes are texts that say so. */
function toText(message: Message): string {
  const fields = Object.entries(message) as [string, unknown][];
  const plain = fields.map(([name, field]) => [name, field instanceof Uint8Array ? BYTES + toBase64(field) : field]);
  return JSON.stringify(Object.fromEntries(plain));
}

function fromText(text: string): unknown {
  try {
    return JSON.parse(text, (_, field: unknown) =>
      typeof field === 'string' && field.startsWith(BYTES) ? fromBase64(field.slice(BYTES.length)) : field,
    );
  } catch {
    throw new DecodeError('no JSON');
  }
}

const room = new WrittenRoom();
for (let round = 0; round < 60; round++)
  room.write(round % 5, round % 7 === 0 && round > 0 ? [room.tip((round + 1) % 5)].filter((tip) => tip >= 0) : []);
const ours = new HeldIds(room.replica((node) => node % 9 !== 0));
const theirs = new HeldIds(room.replica((node) => node % 11 !== 0));

/** All messages of some reconciliations, in the order in which they went; every second one is an answer. */
function conversations(): Uint8Array[] {
  return [false, true].map((keyed) => {
    const said: Message[] = [];
    talk(ours, theirs, {
      keyed,
      onTheWay(message) {
        said.push(message);
        return message;
      },
    });
    return bytesOf(said.map(toText).join('\n'));
  });
}

const LAST = 'the-last-one';
const CLOSED_BY_A_BUG = 1011;

async function hear(text: string): Promise<void> {
  const faults: Error[] = [];
  const host = createHost({
    store: memoryStore(),
    onFault: (error) => faults.push(error instanceof Error ? error : new Error(String(error))),
  });
  try {
    const peer = testPeer(host, 'plans', []);
    for (const line of text.split('\n')) {
      peer.sendText(line);
      const binary = binaryOf(line);
      if (binary) peer.sendText(binary);
    }
    // Frames of a peer are answered in order: who is told of this one has been told of all before it.
    peer.send({ type: LAST });
    const code = await Promise.race([peer.closed.then((end) => end.code), answered(peer)]);
    if (code === CLOSED_BY_A_BUG) throw faults[0] ?? new Error('closed by a bug');
    peer.leave();
  } finally {
    await host.close();
  }
  const [fault] = faults;
  if (fault) throw fault;
}

async function answered(peer: ReturnType<typeof testPeer>): Promise<number> {
  for (;;) {
    const frame = await peer.next().catch(() => undefined);
    if (!frame) return (await peer.closed).code;
    if (frame.type === 'error' && String(frame['msg']).includes(LAST)) return 0;
  }
}

function binaryOf(line: string): Uint8Array | undefined {
  try {
    return encodeValue(JSON.parse(line));
  } catch {
    return undefined;
  }
}

const crypto = nativeCrypto()!;
const admin = crypto.signer(new Uint8Array(32).fill(5));
const NOW = 1_800_000_000_000;
const gate = {
  room: 'plans',
  require: 'open',
  lock: admin.publicKey,
  adminKey: undefined,
  audiences: ['localhost:7878'],
  now: NOW,
  startedAt: 0,
  usedProofs: new UsedProofs(),
  revokedBefore: () => 0,
  crypto: { ...crypto, verify: () => Promise.resolve(true) },
} as const;

const CLAIMS = {
  pubkey: admin.publicKey,
  token: {
    peer_pubkey: admin.publicKey,
    expiry: NOW / 1000 + 60,
    caps: ['write:docs/**', 'policy.admin', 'read:**'],
    sig: 'ab'.repeat(64),
    issuer: admin.publicKey,
  },
  proof: { ts: NOW, nonce: '01'.repeat(16), aud: 'localhost:7878', sig: 'cd'.repeat(64) },
};

export const peerTargets: readonly Target[] = [
  {
    name: 'binary-frames',
    seeds: async () =>
      (await sentFrames())
        .flat()
        .slice(0, 200)
        .map((frame) => encodeValue(JSON.parse(frame))),
    decode: (bytes) => void parseFrame(bytes),
    isRefusal: () => false,
  },
  {
    name: 'sessions',
    form: 'json-lines',
    words: ['"type"', '{"type":"request","req_id":1}', '"room_id"', '"$bytes"'],
    seeds: async () => (await sentFrames()).map((frames) => bytesOf(frames.join('\n'))),
    decode: (bytes) => hear(textOf(bytes)),
    isRefusal: () => false,
    perByte: 1 << 16,
  },
  {
    name: 'answering-reconciliation',
    form: 'json-lines',
    seeds: conversations,
    decode(bytes) {
      const side = new Responder(theirs);
      for (const [n, line] of textOf(bytes).split('\n').entries()) if (n % 2 === 0) side.receive(fromText(line));
    },
    isRefusal,
    perByte: 1 << 12,
  },
  {
    name: 'asking-reconciliation',
    form: 'json-lines',
    seeds: conversations,
    decode(bytes) {
      const side = new Initiator(ours);
      side.open(false);
      for (const [n, line] of textOf(bytes).split('\n').entries()) if (n % 2 === 1) side.receive(fromText(line));
    },
    isRefusal,
    perByte: 1 << 12,
  },
  {
    name: 'tokens',
    form: 'json',
    words: ['"write:', '**', 'read:', '"expiry":'],
    seeds: () => [bytesOf(JSON.stringify(CLAIMS))],
    async decode(bytes) {
      const claims = fromText(textOf(bytes));
      const { token, proof } = Object(claims) as { token?: unknown; proof?: unknown };
      await authenticate({ pubkey: admin.publicKey, token, proof }, { ...gate, usedProofs: new UsedProofs() });
    },
    isRefusal,
  },
];
