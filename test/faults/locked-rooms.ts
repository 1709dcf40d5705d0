/** Locked rooms with something in them that strangers may not read, and whether they were told. */
import { type Host, type Room, decodePack, fromBase64, generateKeys } from '@weft/core';
import { expect } from 'vitest';
import { type Frame, Peer } from './peer.js';

export const LOCK = generateKeys();
export const SECRET = 'what only those with a token may read';

export async function lockUp(room: Room): Promise<void> {
  await room.set('secret', SECRET);
  await room.set('\0lock', { key: LOCK.publicKey, by: 'a test' });
}

/** Whether what a peer has been sent tells what the locked room holds. */
export function tellsSecret(frames: readonly Frame[]): boolean {
  const packs = frames.flatMap(({ type, nodes }) => (type === 'pack' ? [decodePack(fromBase64(String(nodes)))] : []));
  const ops = packs.flatMap(({ nodes }) => nodes.flatMap((node) => node.ops));
  const values = ops.flatMap((op) => (op.kind === 'set' ? [Buffer.from(op.value)] : []));
  return values.some((value) => value.includes(SECRET)) || JSON.stringify(frames).includes(SECRET);
}

export async function expectLocked(url: string, room: string): Promise<void> {
  const stranger = await Peer.dial(url, room);
  stranger.send({ type: 'hello' });
  expect(await stranger.closed).toEqual({ code: 1008, reason: 'auth: room locked' });
  expect(tellsSecret(stranger.frames)).toBe(false);
}

/** What a host command is answered with; throws what it is refused with. */
export async function answerOf(
  host: Host,
  room_id: string,
  command: string,
  payload: object,
): Promise<Record<string, unknown>> {
  const { events } = await host.submit({ room_id, command: { [command]: payload } });
  const body: Record<string, unknown> = { ...Object.values(events[0] ?? {})[0] };
  if (body['reason_class'] !== undefined)
    throw new Error(`${String(body['reason_class'])}: ${String(body['reason_message'])}`);
  return body;
}
