/** The clock of the machine is set, ahead and back, while a server runs and peers are connected. */
import { type Clock, generateKeys, signProof, signToken, systemClock } from '@weft/core';
import { expect, it } from 'vitest';
import { Peer } from './peer.js';
import { serveHere } from './serving.js';
import { merge, push, replicaOf } from './writer.js';

const HOUR = 3_600_000;

/** Clock whose time can be set; its timers run like the system's, whatever the time is. */
class JumpingClock implements Clock {
  #ahead = 0;

  now(): number {
    return Date.now() + this.#ahead;
  }

  after(ms: number, callback: () => void): () => void {
    return systemClock.after(ms, callback);
  }

  jump(ms: number): void {
    this.#ahead += ms;
  }
}

it('fault 39: a clock that jumps holds nobody up who is connected, and changes neither order nor merges', async () => {
  const clock = new JumpingClock();
  const { url, faults } = await serveHere('auto', { clock });
  const writer = await Peer.dial(url);
  const { welcome } = await writer.join();
  const [replica, copy] = [await replicaOf(welcome), await replicaOf(welcome)];
  const reader = await Peer.enter(url);
  for (const [i, jump] of [HOUR, -2 * HOUR, 30 * HOUR, -29 * HOUR].entries()) {
    clock.jump(jump);
    replica.set('k', i);
    expect(await push(writer, replica)).toMatchObject({ accepted_count: 1, rejected_count: 0 });
    await merge(copy, await reader.nextOf('pack'));
    reader.send({ type: 'server-info' });
    await reader.nextOf('server-info');
    expect(copy.get('k')).toBe(i);
  }
  const { welcome: later } = await (await Peer.dial(url)).join();
  expect(later['canonical_hash']).toBe(copy.stateHash);
  expect(faults).toEqual([]);
});

it('fault 39: tokens and proofs are judged by the clock as it is set, also where that is before the start of the server', async () => {
  const clock = new JumpingClock();
  const admin = generateKeys();
  const { url, audience } = await serveHere('auto', { clock, adminKey: admin.publicKey });
  const keys = generateKeys();
  const expiry = Math.floor(Date.now() / 1000) + 600;
  const token = await signToken({ room: 'room', peer: keys.publicKey, expiry, caps: ['room.admin'] }, admin.seed);
  const enter = async (): Promise<string> => {
    const peer = await Peer.dial(url);
    const proof = await signProof({ room: 'room', aud: audience, ts: clock.now() }, keys);
    peer.send({ type: 'hello', pubkey: keys.publicKey, token, proof });
    const { type, msg } = await peer.next();
    return type === 'error' ? String(msg) : type;
  };
  const heard: string[] = [];
  for (const jump of [0, HOUR, -2 * HOUR, HOUR]) {
    clock.jump(jump);
    heard.push(await enter());
  }
  expect(heard).toEqual(['welcome', 'auth: token has expired', 'welcome', 'welcome']);
});

it('fault 39: a proof that was used is used, also when the clock has been an hour ahead meanwhile, where others came', async () => {
  const clock = new JumpingClock();
  const { url, audience } = await serveHere('auto', { clock });
  const keys = generateKeys();
  const prove = () => signProof({ room: 'room', aud: audience, ts: clock.now() }, keys);
  const show = async (proof: object): Promise<string> => {
    const peer = await Peer.dial(url);
    peer.send({ type: 'hello', pubkey: keys.publicKey, proof });
    const { type, msg } = await peer.next();
    return type === 'error' ? String(msg) : type;
  };
  const [first, heard] = [await prove(), [] as string[]];
  heard.push(await show(first));
  clock.jump(HOUR);
  const ahead = await prove();
  heard.push(await show(first), await show(ahead));
  clock.jump(-HOUR);
  heard.push(await show(first), await show(await prove()), await show(ahead));
  clock.jump(HOUR);
  heard.push(await show(ahead));
  const used = 'auth: proof already used';
  expect(heard).toEqual(['welcome', 'auth: proof expired', 'welcome', used, 'welcome', 'auth: proof expired', used]);
});
