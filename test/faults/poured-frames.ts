/** A server process that is sent anything at all: it lives, says little, and keeps nothing of it. */
import { connect } from 'node:net';
import { generateKeys, toBase64 } from '@weft/core';
import { expect } from 'vitest';
import { Random } from '../convergence/random.js';
import { noise, oddFrame } from './odd-frames.js';
import { Peer } from './peer.js';
import { residentBytes } from './resident-memory.js';
import { serveProcess, type transports } from './serving.js';
import { push, replicaOf, sealed } from './writer.js';

const MIB = 1024 * 1024;
/** Odd frames that are sent; the long suite sends 2,000. */
const FRAMES = process.env['TESTS_LONG'] ? 2000 : 1000;
const LINES = 20;
const hello = { type: 'hello', caps: { supports_binary: true, supports_targeted_relay: true } };

async function packsFor(url: string): Promise<string[]> {
  const { welcome } = await (await Peer.dial(url)).join();
  const packs: string[] = [];
  for (let size = 1; size <= 1000; size *= 10) {
    const replica = await replicaOf(welcome, generateKeys());
    for (let i = 0; i < size; i++) replica.text('t').insert(0, `${i} `);
    replica.list('l').push(1, 2);
    packs.push(toBase64(await sealed(replica)));
  }
  return packs;
}

/** So many frames over as many connections as it takes, some of which never say hello. Answers how many errors came back. */
async function pour(url: string, frames: number, random: Random, packs: readonly string[]): Promise<number> {
  let peer = await Peer.dial(url);
  let errors = 0;
  for (let sent = 0; sent < frames; sent++) {
    if (!peer.isOpen || random.chance(2)) {
      peer.socket.terminate();
      peer = await Peer.dial(url);
      if (random.chance(80)) peer.send(hello);
    }
    peer.socket.send(oddFrame(random, packs));
    if (sent % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    errors += peer.frames.splice(0).filter(({ type }) => type === 'error').length;
  }
  peer.socket.terminate();
  return errors;
}

/** Bytes that are not even HTTP, or stop being WebSocket right after the upgrade. */
async function pourRaw(audience: string, random: Random): Promise<void> {
  const upgrade =
    'GET /ws/room HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
    'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
  for (let i = 0; i < 200; i++) {
    const socket = connect(Number(audience.split(':')[1]), '127.0.0.1');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    socket.resume();
    if (random.chance(60)) socket.write(upgrade.slice(0, random.chance(70) ? undefined : random.below(upgrade.length)));
    socket.write(noise(random, 1 + random.below(2000)));
    setTimeout(() => socket.destroy(), 5);
    await closed;
  }
}

/** `mayGrow`: mebibytes that this may leave in the server's memory; not weighed when absent. */
export async function survivesOddFrames(transport: (typeof transports)[number], mayGrow?: number): Promise<void> {
  const seed = Math.floor(Math.random() * 2 ** 32);
  const random = new Random(seed);
  const { weft, url, audience } = await serveProcess('--store', 'memory', '--transport', transport);
  const packs = await packsFor(url);
  const lines = (): number => weft.out.length + weft.err.length;
  await pour(url, FRAMES / 4, random, packs); // memory that is only ever taken once
  const before = { bytes: residentBytes(weft.pid), lines: lines() };
  expect(await pour(url, FRAMES, random, packs), `seed ${seed}`).toBeGreaterThan(FRAMES / 10);
  await pourRaw(audience, random);

  const peer = await Peer.dial(url, 'fresh');
  const replica = await replicaOf((await peer.join()).welcome);
  replica.set('k', 1);
  expect(await push(peer, replica), `seed ${seed}`).toMatchObject({ accepted_count: 1 });
  expect(lines() - before.lines, `seed ${seed}: ${weft.err.join(' | ').slice(0, 2000)}`).toBeLessThanOrEqual(LINES);
  const grown = (): number => residentBytes(weft.pid) - before.bytes;
  if (mayGrow !== undefined) await expect.poll(grown, { message: `seed ${seed}` }).toBeLessThanOrEqual(mayGrow * MIB);
  expect(await weft.kill('SIGTERM'), `seed ${seed}`).toEqual({ code: 0, signal: null });
}
