/** Player of a dialogue against a server: what peers send goes out, what comes back is compared. */
import { createHash } from 'node:crypto';
import { encode } from '@msgpack/msgpack';
import {
  type ArchiveStore,
  type BlobHash,
  type HostRequest,
  type RoomId,
  decodePack,
  fromBase64,
  fromHex,
  hostErrorOf,
  toHex,
} from '@weft/core';
import { type ArchiveChange, alteredArchive } from '@weft/core/testing';
import { Readable } from 'node:stream';
import { expect } from 'vitest';
import {
  type Place,
  type ProofDirective,
  type TokenDirective,
  buildProof,
  buildToken,
} from './credential-directive.js';
import type { Dialer, PeerEnd, ReceivedFrame } from './dialer.js';
import type { Dialogue, OperatorStep, PeerStep } from './dialogue.js';
import { type Kept, fill, isRecord, match } from './matching.js';
import { type PackDirective, buildPack, publicKeyOf, signerOf } from './pack-directive.js';
import { reconcileBytes } from './reconcile-directive.js';
import type { Served } from './served.js';

export async function runDialogue(dialogue: Dialogue, dialer: Dialer, served: Served): Promise<void> {
  const { room = 'room', setup = [], peers } = dialogue;
  const kept: Kept = new Map(
    ['ann', 'bob', 'eve', 'admin', 'room-key', 'other-key'].map((name) => [`$key of ${name}`, publicKeyOf(name)]),
  );
  const ends = new Map<string, PeerEnd>();
  for (const command of setup) await served.host.submit({ room_id: room, command });
  for (const peer of peers) ends.set(peer, await dialer.connect(room));
  for (const [index, step] of dialogue.steps.entries()) {
    try {
      if ('operator' in step) await operate(step, { room, audience: dialer.audience }, served, kept);
      else if ('connect' in step) ends.set(step.peer, await dialer.connect(step.room ?? room));
      else await play(step, endOf(ends, step.peer), kept, { room, audience: dialer.audience });
    } catch (error) {
      throw new Error(`step ${index + 1}, ${JSON.stringify(step)}: ${error instanceof Error ? error.message : ''}`, {
        cause: error,
      });
    }
  }
  for (const end of ends.values()) end.leave();
}

function endOf(ends: ReadonlyMap<string, PeerEnd>, name: string): PeerEnd {
  const end = ends.get(name);
  if (!end) throw new Error(`no peer is called ${name}`);
  return end;
}

async function operate(step: OperatorStep, place: Place, served: Served, kept: Kept): Promise<void> {
  const { host, archives, held, store } = served;
  const room_id = place.room;
  if ('change' in step) {
    const { name, change, signedBy } = step;
    await alter(archives, name, signedBy === undefined ? change : { ...change, signer: signerOf(signedBy) });
  } else if ('times' in step) {
    for (let n = 0; n < step.times; n++) {
      const command = JSON.parse(JSON.stringify(step.command).replaceAll('{n}', String(n)));
      host.submit({ room_id, command }).catch(() => undefined);
    }
    await new Promise(setImmediate); // all of them have come as far as they come by themselves
  } else if (step.operator === 'submit') {
    const command = (await filled(step.command, kept, place)) as HostRequest['command'];
    const answer = await host.submit({ room_id, command }).catch(hostErrorOf);
    if (typeof answer === 'string') expect(answer).toBe('error' in step ? step.error : 'an answer');
    else match(answer.events, ['event' in step ? step.event : step.error], kept, 'events');
  } else if (step.operator === 'upload') {
    const bytes = fromBase64(step.data_b64);
    const hash = createHash('sha256').update(bytes).digest('hex') as BlobHash;
    await store.blobs.put(hash, Readable.from([bytes]), bytes.length);
    await store.blobs.stage(room_id as RoomId, hash);
  } else if (step.operator === 'hold' || step.operator === 'release') held[step.operator]();
  else if (step.operator === 'use') await host.room(room_id);
  else if (step.operator === 'quarantine') await host.quarantine(room_id as RoomId, 'a dialogue');
  else expect(await host.resume(room_id as RoomId)).toBe(true);
}

async function alter(archives: ArchiveStore, name: string, change: ArchiveChange): Promise<void> {
  const file = await archives.open(name);
  if (!file) throw new Error(`there is no archive ${name}`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.read(0, file.size)) chunks.push(chunk);
  await file.close();
  const altered = await alteredArchive(Buffer.concat(chunks), change);
  await archives.put(name, Readable.from([altered]));
}

async function play(step: PeerStep, end: PeerEnd, kept: Kept, place: Place): Promise<void> {
  if ('send' in step) {
    const text = JSON.stringify(await filled(step.send, kept, place));
    for (let left = step.times ?? 1; left > 0; left--) end.send(text);
  } else if ('sendBinary' in step) end.send(encode(withBytes(await filled(step.sendBinary, kept, place))));
  else if ('text' in step) end.send(step.text);
  else if ('binary' in step) end.send(fromHex(step.binary));
  else if ('expect' in step) await receive(step.expect, end, kept);
  else if ('expectNothing' in step) await expectNothing(end);
  else if ('close' in step) match(await end.closed, step.close, kept, 'close');
  else if ('reads' in step) end.reads(step.reads);
  else end.leave();
}

async function receive(expected: ReceivedFrame, end: PeerEnd, kept: Kept): Promise<void> {
  const { $holds: holds, $headers: headers, ...shape } = expected;
  const frame = await end.next();
  match(frame, shape, kept);
  if (frame['type'] === 'welcome') kept.set('$genesis_id', idsIn(frame['genesis'])[0]);
  // What a pack holds, as ids in order.
  if (holds !== undefined) match(idsIn(frame['nodes']), holds, kept, 'ids in the pack');
  if (headers !== undefined) match(headersIn(frame['nodes']), headers, kept, 'headers in the pack');
}

const idsIn = (pack: unknown): string[] => decodePack(fromBase64(String(pack))).nodes.map(({ id }) => toHex(id));

const headersIn = (pack: unknown): string[] =>
  decodePack(fromBase64(String(pack)))
    .nodes.filter(({ withheld }) => withheld !== undefined)
    .map(({ id }) => toHex(id));

/** Barrier: frames come in order, so whatever had been sent would come before the answer to this. */
async function expectNothing(end: PeerEnd): Promise<void> {
  end.send(JSON.stringify({ type: 'is anything there', req_id: 'nothing' }));
  expect(await end.next()).toMatchObject({ type: 'error', code: 'unknown-type', req_id: 'nothing' });
}

async function filled(value: unknown, kept: Kept, place: Place): Promise<unknown> {
  return withReconcileBytes(fill(await built(value, kept, place), kept));
}

/** Value with bytes in place of what reconciliation speaks of, once the ids that it names are known. */
function withReconcileBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReconcileBytes);
  if (!isRecord(value)) return value;
  const bytes = reconcileBytes(value);
  return bytes ?? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withReconcileBytes(item)]));
}

/** Value in which directives are replaced by what they stand for. */
async function built(value: unknown, kept: Kept, place: Place): Promise<unknown> {
  if (!isRecord(value)) return value;
  if (isRecord(value['$pack'])) return buildPack(directiveOf(value['$pack']), kept);
  if (isRecord(value['$token'])) return buildToken(value['$token'] as unknown as TokenDirective, place, kept);
  if (isRecord(value['$proof'])) return buildProof(value['$proof'] as unknown as ProofDirective, place, kept);
  const fields = Object.entries(value).map(async ([name, item]) => [name, await built(item, kept, place)] as const);
  return Object.fromEntries(await Promise.all(fields));
}

/** Frame for MessagePack: what is base64 in JSON is bytes there. */
function withBytes(frame: unknown): unknown {
  if (!isRecord(frame) || typeof frame['nodes'] !== 'string') return frame;
  return { ...frame, nodes: fromBase64(frame['nodes']) };
}

function directiveOf(value: Readonly<Record<string, unknown>>): PackDirective {
  if (!isPackDirective(value)) throw new Error('a $pack lists its nodes, each with a name and an author');
  return value;
}

function isPackDirective(value: object): value is PackDirective {
  const named = (node: unknown): boolean =>
    isRecord(node) && typeof node['as'] === 'string' && typeof node['by'] === 'string';
  return 'nodes' in value && Array.isArray(value.nodes) && value.nodes.every(named);
}
