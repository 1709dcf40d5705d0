/** What roots say while a server runs, and roots that lie on several machines. */
import { readFile, writeFile } from 'node:fs/promises';
import { type RoomClient, generateKeys, keepRoom } from '@weft/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { tempFolder } from '../support/temp-folder.js';
import { WeftRun, weft } from '../support/programs/weft-run.js';
import { Site, TAKEN, URL_LINE, certified } from './authority-site.js';

async function enter(server: WeftRun, room = 'room'): Promise<RoomClient> {
  const [, address] = await server.line(URL_LINE);
  const client = keepRoom({ open: () => new WebSocket(`ws://${address}/ws/${room}`), keys: generateKeys() });
  onTestFinished(() => client.close());
  await client.joined;
  return client;
}

async function write(client: RoomClient, key: string, value: unknown): Promise<void> {
  client.replica.set(key, value);
  await client.push();
}

describe('a server that runs', () => {
  it('signs with another key, and has the first one revoked, without a restart', async () => {
    const site = await certified();
    const server = site.serve();
    const client = await enter(server);
    await write(client, 'a', 1);
    await site.room('room', 'policy', 'room', '--policy', '{"default":"allow","rules":[]}');
    const first = (await site.room('authority', 'status', '--room', 'room'))['speaker'] as string;
    const next = await site.certify('root.key', true);
    await site.say('revoke', '--root', site.at('root.key'), '--signer', first);
    server.hangUp();
    await server.line(TAKEN, server.err);
    expect(await site.room('authority', 'status', '--room', 'room')).toMatchObject({
      signers: [first, next],
      speaks: true,
      speaker: next,
    });
    await site.room('room', 'policy', 'room', '--policy', '{"default":"allow","rules":[]}');
    await write(client, 'b', 2);
    expect(client.state).toBe('joined');
    const late = await enter(server);
    expect([late.replica.get('a'), late.replica.get('b'), late.replica.stateHash]).toEqual([
      1,
      2,
      client.replica.stateHash,
    ]);
  });

  it('goes on by what roots had said where the file is none any more, says so, and takes it when it is one again', async () => {
    const site = await certified();
    const server = site.serve('--metrics-addr', '127.0.0.1:0');
    const [metrics] = await server.line(/^metrics: .*/);
    const refused = async (): Promise<string | undefined> =>
      /^weft_authority_refused (\d)$/m.exec(await (await fetch(metrics!.slice('metrics: '.length))).text())?.[1];
    await write(await enter(server), 'a', 1);
    const text = await readFile(site.file, 'utf8');
    await writeFile(site.file, text.slice(0, 40));
    server.hangUp();
    await server.line(/the authority file is not taken: what it said before holds/, server.err);
    expect(await refused()).toBe('1');
    await site.room('room', 'lock', 'room');
    await writeFile(site.file, `${text}\n`);
    server.hangUp();
    await server.line(TAKEN, server.err);
    expect(await refused()).toBe('0');
    server.hangUp();
    await server.line(/roots have said nothing new/, server.err);
  });

  it('signs nothing outside the term of its certificate, and says at a start, at a write and to a doctor what to do', async () => {
    const site = await certified('--days', '3');
    const env = { WEFT_AUTHORITY: site.file };
    const doctor = async (): Promise<string> => {
      const run = new WeftRun(['doctor', '--store', site.data], { env });
      await run.ended;
      return run.out.join('\n');
    };
    const server = site.serve('--metrics-addr', '127.0.0.1:0');
    const [metrics] = await server.line(/^metrics: .*/);
    await server.line(/the certificate of this server ends soon/, server.err);
    const scraped = await (await fetch(metrics!.slice('metrics: '.length))).text();
    const ends = Number(/^weft_authority_ends_seconds (.+)$/m.exec(scraped)?.[1]);
    expect(Math.abs(ends - Date.now() / 1000 - 3 * 86_400)).toBeLessThan(3600);
    const client = await enter(server);
    await write(client, 'a', 1);
    expect(await doctor()).toMatch(/the certificate of this server ends at .*weft authority certify --days/);

    await site.certify('root.key', false, '--days', '3', '--from', '2020-01-01');
    server.hangUp();
    await server.line(TAKEN, server.err);
    await expect(site.room('room', 'lock', 'room')).rejects.toThrow(
      /the certificate of the key [0-9a-f]{64} ended at 2020-01-04T.*: certify it anew, with weft authority certify --days/,
    );
    expect(await site.room('authority', 'status', '--room', 'room')).toMatchObject({
      silence: expect.stringContaining('ended at 2020') as string,
      speaks: false,
    });
    // What people write is theirs, and goes on.
    await write(client, 'b', 2);
    await server.stop();
    const start = async (): Promise<string> => {
      const refused = site.serve();
      expect(await refused.ended).toBe(2);
      return refused.err.join('\n');
    };
    expect(await start()).toMatch(/ended at 2020-01-04T.*weft authority certify --days/);
    expect(await doctor()).toMatch(/ended at 2020-01-04T/);
    await site.certify('root.key', false, '--days', '3', '--from', '2999-01-01');
    expect(await start()).toMatch(/counts from 2999-01-01T.* on: wait until then, or certify it anew/);
    await site.certify('root.key');
    const again = site.serve();
    await enter(again);
    await site.room('room', 'lock', 'room');
    expect(await doctor()).toContain('nothing is wrong');
  });
});

describe('roots on several machines', () => {
  it('are changed by a proposal that most of them have signed, each where its key is', async () => {
    const site = new Site(await tempFolder());
    const keyAt = async (name: string): Promise<string> =>
      (await weft('authority', 'key', '--root', site.at(name))).out;
    const [b, c, next] = [await keyAt('b.key'), await keyAt('c.key'), await keyAt('next.key')];
    await site.say('init', '--root', site.at('a.key'), '--with', `${b},${c}`);
    const first = await site.certify('a.key');
    const server = site.serve();
    const client = await enter(server);
    await write(client, 'a', 1);
    await site.room('room', 'policy', 'room', '--policy', '{"default":"allow","rules":[]}');

    await expect(site.say('rotate', '--root', site.at('a.key'), '--new-root', next)).rejects.toThrow(
      /more than half of the 3 roots have to agree, and 1 have: .*weft authority sign/,
    );
    const proposal = site.at('change.hex');
    await site.say('rotate', '--root', site.at('a.key'), '--new-root', next, '--proposal', proposal);
    await expect(
      site.say('rotate', '--root', site.at('a.key'), '--new-root', next, '--proposal', proposal),
    ).rejects.toThrow(/it is there already/);
    await expect(site.say('adopt', '--proposal', proposal)).rejects.toThrow(/and 1 have/);
    await expect(site.say('sign', '--root', site.at('next.key'), '--proposal', proposal)).rejects.toThrow(/is no root/);
    // One copy for each of the others, which never meet.
    const copies = [site.at('to-b.hex'), site.at('to-c.hex')];
    for (const [i, copy] of copies.entries()) {
      await writeFile(copy, await readFile(proposal));
      const said = JSON.parse(
        await site.say('sign', '--root', site.at(['b.key', 'c.key'][i]!), '--proposal', copy, '--json'),
      ) as { readonly enough: boolean };
      expect(said.enough).toBe(true);
    }
    const forged = (await readFile(copies[0]!, 'utf8')).trim();
    await writeFile(site.at('forged.hex'), forged.slice(0, -2) + (forged.endsWith('00') ? '01' : '00'));
    await expect(site.say('adopt', '--proposal', site.at('forged.hex'))).rejects.toThrow(/not signed by whom it names/);
    await writeFile(site.at('nonsense.hex'), 'nonsense');
    await expect(site.say('adopt', '--proposal', site.at('nonsense.hex'))).rejects.toThrow(/is no proposal/);
    expect(await site.say('adopt', '--proposal', copies.join())).toBe(`root: ${next}`);
    await expect(site.say('adopt', '--proposal', copies.join())).rejects.toThrow(/about other roots than/);

    const second = await site.certify('next.key', true);
    server.hangUp();
    await server.line(TAKEN, server.err);
    expect(await site.room('authority', 'status', '--room', 'room')).toEqual({
      roots: [next],
      signers: [first, second],
      room: 'room',
      room_genesis: client.replica.room,
      room_roots: [next],
      speaks: true,
      speaker: second,
    });
    await write(client, 'b', 2);
    const late = await enter(server);
    expect([late.replica.get('a'), late.replica.get('b')]).toEqual([1, 2]);
  });
});
