/** People above keys, over real sockets and by the commands that people have: one person writes, enters and is shown with two devices. */
import { join } from 'node:path';
import {
  type Credential,
  type KeyPair,
  type RoomClient,
  defaultCrypto,
  fromHex,
  generateKeys,
  keepRoom,
  keysFromSeed,
  makeMandate,
} from '@weft/core';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { tempFolder } from '../support/temp-folder.js';
import { WeftRun, weft, weftJson } from '../support/programs/weft-run.js';
import { Peer } from '../faults/peer.js';

const URL_LINE = /^ws:\/\/(127\.0\.0\.1:\d+)\/ws\/<room>$/;

interface Person {
  readonly name: string;
  /** A device of theirs, with what takes it for one. */
  device(): Promise<KeyPair>;
  lose(keys: KeyPair): Promise<string>;
}

interface Site {
  readonly address: string;
  readonly data: string;
  person(name: string): Promise<Person>;
  say(...words: string[]): Promise<unknown>;
  enter(keys: KeyPair, token?: Credential, room?: string): RoomClient;
}

async function site(): Promise<Site> {
  const folder = await tempFolder();
  const data = join(folder, 'data');
  const server = new WeftRun(['serve', '--listen', '127.0.0.1:0', '--store', data]);
  const [, address = ''] = await server.line(URL_LINE);
  return {
    address,
    data,
    async person(file) {
      const path = join(folder, file);
      const name = (await weft('subject', 'key', '--subject', path)).out;
      return {
        name,
        async device() {
          const keys = generateKeys();
          const { out } = await weft('subject', 'delegate', '--subject', path, '--to', keys.publicKey);
          return { ...keys, delegation: out };
        },
        lose: async ({ publicKey }) => (await weft('subject', 'revoke', '--subject', path, '--of', publicKey)).out,
      };
    },
    say: (...words) => weftJson(...words, '--store', data),
    enter(keys, token, room = 'plans') {
      const client = keepRoom({
        open: () => new WebSocket(`ws://${address}/ws/${room}`),
        keys,
        room,
        audience: address,
        ...(token === undefined ? {} : { token }),
        retry: { mostMs: 50 },
      });
      onTestFinished(() => client.close());
      return client;
    },
  };
}

async function write(client: RoomClient, key: string, value: unknown): Promise<void> {
  await client.joined;
  client.replica.set(key, value);
  await client.push();
}

it('a policy and a token name a person, whose devices write and enter; others see who it is, and who wrote what', async () => {
  const here = await site();
  const ann = await here.person('ann.key');
  const [laptop, phone, stranger] = [await ann.device(), await ann.device(), generateKeys()];
  await write(here.enter(stranger), 'first', 1);
  const policy = JSON.stringify({ default: 'deny', rules: [{ path_glob: '**', can_write: [ann.name] }] });
  await here.say('room', 'policy', 'plans', '--policy', policy);
  await here.say('room', 'lock', 'plans');
  const token = (await here.say('room', 'token', 'plans', '--peer', ann.name, '--caps', 'query.read')) as Credential;

  const [one, two] = [here.enter(laptop, token), here.enter(phone, token)];
  await write(one, 'title', 'from the laptop');
  one.replica.text('body').insert(0, 'a text');
  await one.push();
  await write(two, 'title', 'from the phone');
  await expect.poll(() => one.replica.get('title')).toBe('from the phone');
  // The text of the first may still be on its way to the second.
  await expect.poll(() => two.replica.stateHash).toBe(one.replica.stateHash);
  expect(one.peers.map(({ publicKey, subject }) => [publicKey, subject])).toEqual([[phone.publicKey, ann.name]]);
  expect(await here.say('room', 'peers', 'plans')).toMatchObject({
    peers: [
      { pubkey: laptop.publicKey, subject: ann.name, proven: true },
      { pubkey: phone.publicKey, subject: ann.name, proven: true },
    ],
  });
  expect(await here.say('room', 'why', 'plans', '--key', 'title')).toMatchObject({
    origin: { author: phone.publicKey, subject: ann.name },
    writes: [
      { author: phone.publicKey, subject: ann.name },
      { author: laptop.publicKey, subject: ann.name },
    ],
  });
  const why = (await here.say('room', 'why', 'plans', '--key', 'first')) as { readonly origin: object };
  expect(why.origin).not.toHaveProperty('subject');

  // From now on the room knows whose the key is, without being shown it.
  const again = here.enter(keysFromSeed(laptop.seed), token);
  await again.joined;
  expect(again.replica.get('body')).toBeUndefined();
  expect(again.replica.text('body').toString()).toBe('a text');
  const borrowed = here.enter(stranger, token);
  await expect(borrowed.joined).rejects.toThrow('token peer_pubkey does not match connecting peer');
});

it('a lost device is nobody’s any more, and a person as a whole: what they wrote stays, and they are sent away', async () => {
  const here = await site();
  const ann = await here.person('ann.key');
  const [laptop, phone] = [await ann.device(), await ann.device()];
  await write(here.enter(generateKeys()), 'first', 1);
  const policy = JSON.stringify({ default: 'deny', rules: [{ path_glob: '**', can_write: [ann.name] }] });
  await here.say('room', 'policy', 'plans', '--policy', policy);
  const [one, two] = [here.enter(laptop), here.enter(phone)];
  await write(one, 'a', 1);
  await write(two, 'b', 1);

  const lost = await ann.lose(phone);
  expect(await here.say('room', 'revoke-keys', 'plans', '--word', lost)).toEqual({
    room: 'plans',
    subject: ann.name,
    key: phone.publicKey,
  });
  await expect.poll(() => two.state).toBe('ended');
  await expect(here.enter(phone).joined).rejects.toThrow('delegation does not hold');
  const without = here.enter(keysFromSeed(phone.seed));
  await without.joined;
  without.replica.set('b', 2);
  await expect(without.push()).rejects.toMatchObject({ reason: 'push-refused' });
  await write(one, 'a', 2);
  expect(one.replica.get('b')).toBe(1);

  expect(await here.say('room', 'revoke-keys', 'plans', '--subject', ann.name)).toEqual({
    room: 'plans',
    subject: ann.name,
  });
  await expect.poll(() => one.state).toBe('ended');
  await expect(here.enter(await ann.device()).joined).rejects.toThrow('delegation does not hold');
  for (const [word, why] of [
    [['--word', lost.slice(2)], /word_hex/],
    [['--word', lost.replace(/..$/, (end) => (end === '00' ? '01' : '00'))], /is no word of a subject/],
    [[], /name a subject, or give the word of one/],
  ] as const)
    await expect(here.say('room', 'revoke-keys', 'plans', ...word)).rejects.toThrow(why);
});

it('a token for a person is revoked for all devices at once', async () => {
  const here = await site();
  const ann = await here.person('ann.key');
  const [laptop, phone] = [await ann.device(), await ann.device()];
  await write(here.enter(generateKeys()), 'first', 1);
  await here.say('room', 'lock', 'plans');
  const token = (await here.say('room', 'token', 'plans', '--peer', ann.name)) as Credential;
  const clients = [here.enter(laptop, token), here.enter(phone, token)];
  for (const client of clients) await client.joined;
  await here.say('room', 'revoke', 'plans', '--peer', ann.name);
  for (const client of clients) await expect.poll(() => client.state).toBe('ended');
  await expect(here.enter(laptop, token).joined).rejects.toThrow('token revoked');
});

it('[SU3] a hello shows nothing that its key has not been given', async () => {
  const here = await site();
  const url = `ws://${here.address}/ws/<room>`;
  const [subject, device, other] = [generateKeys(), generateKeys(), generateKeys()];
  const signer = defaultCrypto.signer(fromHex(subject.seed));
  await write(here.enter(generateKeys()), 'first', 1);
  const good = await makeMandate('delegate', { key: device.publicKey }, signer);
  const claims: readonly (readonly [string, Uint8Array, string])[] = [
    ['of another key', await makeMandate('delegate', { key: other.publicKey }, signer), 'malformed delegation'],
    ['of another matter', await makeMandate('signer', { key: device.publicKey }, signer), 'malformed delegation'],
    ['changed', good.map((byte, i) => (i === good.length - 1 ? byte ^ 1 : byte)), 'malformed delegation'],
    ['cut', good.slice(0, 100), 'malformed delegation'],
    ['long', new Uint8Array([...good, ...good]), 'malformed delegation'],
    [
      'for another room',
      await makeMandate('delegate', { key: device.publicKey, scope: 'cd'.repeat(32) }, signer),
      'delegation does not hold',
    ],
    ['run out', await makeMandate('delegate', { key: device.publicKey, until: 1 }, signer), 'delegation does not hold'],
  ];
  for (const [what, delegation, why] of claims) {
    const peer = await Peer.dial(url, 'plans');
    const { publicKey } = keysFromSeed(device.seed);
    peer.send({ type: 'hello', pubkey: publicKey, delegation: Buffer.from(delegation).toString('hex') });
    expect(await peer.closed, what).toEqual({ code: 1008, reason: `auth: ${why}` });
  }
  const peer = await Peer.dial(url, 'plans');
  peer.send({ type: 'hello', pubkey: device.publicKey, delegation: Buffer.from(good).toString('hex') });
  expect(await peer.nextOf('welcome')).toHaveProperty('genesis');
  const seen = await Peer.dial(url, 'plans');
  seen.send({ type: 'hello' });
  expect((await seen.nextOf('welcome'))['peers']).toContainEqual(
    expect.objectContaining({ pubkey: device.publicKey, subject: subject.publicKey, proven: false }),
  );
});
