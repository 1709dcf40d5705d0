/** Servers whose processes sign with keys of their own, from the key of a root to what clients see, as operators set them up. */
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RoomClient, connectRoom, generateKeys, keepRoom } from '@weft/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { tempFolder } from '../support/temp-folder.js';
import { WeftRun, weft } from '../support/programs/weft-run.js';

const URL_LINE = /^ws:\/\/(127\.0\.0\.1:\d+)\/ws\/<room>$/;

interface Site {
  readonly folder: string;
  readonly data: string;
  readonly file: string;
  at(name: string): string;
  /** Words of `weft authority`, on this authority file. */
  say(...words: string[]): Promise<string>;
  /** Certifies a key of the server, a new one where that is said, by a root. */
  certify(root: string, isNew?: boolean): Promise<string>;
}

async function site(): Promise<Site> {
  const folder = await tempFolder();
  const [data, file] = [join(folder, 'data'), join(folder, 'authority.json')];
  const at = (name: string): string => join(folder, name);
  const say = async (...words: string[]): Promise<string> => {
    const { code, out, err } = await weft('authority', ...words, '--authority', file);
    if (code !== 0) throw new Error(err);
    return out;
  };
  const certify = async (root: string, isNew = false): Promise<string> => {
    const asked = await weft('authority', 'request', '--store', data, '--json', ...(isNew ? ['--new'] : []));
    const { founder, signer } = JSON.parse(asked.out) as { readonly founder: string; readonly signer: string };
    await say('certify', '--root', at(root), '--founder', founder, '--signer', signer);
    return signer;
  };
  return { folder, data, file, at, say, certify };
}

async function certified(...words: string[]): Promise<Site> {
  const made = await site();
  await made.say('init', '--root', made.at('root.key'), ...words);
  await made.certify('root.key');
  return made;
}

function serving({ data, file }: Pick<Site, 'data' | 'file'>, ...words: string[]): WeftRun {
  return new WeftRun(['serve', '--listen', '127.0.0.1:0', '--store', data, '--authority', file, ...words]);
}

async function addressOf(server: WeftRun): Promise<string> {
  return (await server.line(URL_LINE))[1]!;
}

async function enter(address: string, room = 'room'): Promise<RoomClient> {
  const client = await connectRoom({ socket: new WebSocket(`ws://${address}/ws/${room}`), keys: generateKeys() });
  onTestFinished(() => client.close());
  return client;
}

async function refusal(server: WeftRun): Promise<string> {
  expect(await server.ended).toBe(2);
  expect(server.err).toHaveLength(1);
  return server.err.join();
}

describe('weft authority', () => {
  it('keeps the key of a root in a file of its own, and serves rooms by a key that it has certified', async () => {
    const here = await certified();
    expect((await stat(here.at('root.key'))).mode & 0o777).toBe(0o600);
    const root = (await here.say('show')).match(/^root +([0-9a-f]{64})$/m)![1]!;
    expect(await readFile(here.file, 'utf8')).not.toContain((await readFile(here.at('root.key'), 'utf8')).trim());
    const server = serving(here);
    const client = await enter(await addressOf(server));
    client.replica.set('a', 1);
    await client.push();
    await server.stop();
    const locked = await weft('room', 'lock', 'room', '--store', here.data);
    expect(locked).toMatchObject({ code: 1, err: expect.stringContaining(root) as string });
  });

  it('goes on after a root was rotated and a key of the server was stolen, for those who were there before', async () => {
    const here = await certified();
    const first = serving(here);
    const address = await addressOf(first);
    const client = keepRoom({
      open: () => new WebSocket(`ws://${address}/ws/room`),
      keys: generateKeys(),
      retry: { mostMs: 50 },
    });
    onTestFinished(() => client.close());
    await client.joined;
    client.replica.set('a', 1);
    await client.push();
    const stolen = JSON.parse(await here.say('show', '--json')).signers[0].key as string;
    await first.stop();
    await here.say('rotate', '--root', here.at('root.key'), '--new-root', here.at('next.key'));
    await here.say('revoke', '--root', here.at('next.key'), '--signer', stolen);
    await here.certify('next.key', true);
    const second = new WeftRun(['serve', '--listen', address, '--store', here.data, '--authority', here.file]);
    await second.line(URL_LINE);
    client.replica.set('b', 2);
    await client.push();
    const late = await enter(address);
    expect([late.replica.get('a'), late.replica.get('b')]).toEqual([1, 2]);
    expect(await here.say('show')).toMatch(new RegExp(`signer +${stolen} .* revoked`));
  });

  it('goes on in rooms that are older than the root, by the word of the key that began them', async () => {
    const here = await site();
    const before = new WeftRun(['serve', '--listen', '127.0.0.1:0', '--store', here.data]);
    const old = await enter(await addressOf(before));
    old.replica.set('a', 1);
    await old.push();
    await before.stop();
    await here.say('init', '--root', here.at('root.key'));
    const signer = await here.certify('root.key');
    const lock = () =>
      new WeftRun(['room', 'lock', 'room', '--store', here.data], { env: { WEFT_AUTHORITY: here.file } });
    const refused = lock();
    expect([await refused.ended, refused.err.join()]).toEqual([
      1,
      expect.stringMatching(/no root of this room has certified/),
    ]);
    await here.say('certify', '--root', join(here.data, 'server.key'), '--signer', signer);
    expect(await lock().ended).toBe(0);
  });

  it('takes rooms over by the recovery key, and puts keys of roots under a passphrase', async () => {
    const made = await site();
    const say = async (env: Readonly<Record<string, string>>, ...words: string[]) => {
      const command = new WeftRun(['authority', ...words, '--authority', made.file], { env });
      return [await command.ended, command.err.join('\n')] as const;
    };
    const secret = { WEFT_ROOT_PASSPHRASE: 'a long sentence' };
    await say(secret, 'init', '--root', made.at('root.key'), '--recovery', made.at('heir.key'));
    expect(await readFile(made.at('root.key'), 'utf8')).toMatch(/^weft-sealed-key-v1 /);
    const key = 'ab'.repeat(32);
    const certify = ['certify', '--root', made.at('root.key'), '--signer', key];
    expect(await say({}, ...certify)).toEqual([
      2,
      expect.stringContaining('is under a passphrase; put it into the variable'),
    ]);
    expect(await say({ WEFT_ROOT_PASSPHRASE: 'no' }, ...certify)).toEqual([
      2,
      expect.stringContaining('is not that of'),
    ]);
    expect((await say(secret, ...certify))[0]).toBe(0);
    const rotate = ['rotate', '--recovery', made.at('heir.key'), '--new-root', made.at('next.key')];
    expect((await say(secret, ...rotate))[0]).toBe(0);
    expect(await say(secret, ...rotate)).toEqual([2, expect.stringContaining('is not the recovery that')]);
  });

  it('refuses a start that every room would refuse later, and says what to do', async () => {
    const made = await site();
    expect(await refusal(serving(made))).toMatch(/there is no authority file .*weft authority init/);
    await made.say('init', '--root', made.at('root.key'));
    expect(await refusal(serving(made))).toMatch(/no key to sign with: weft authority request/);
    await weft('authority', 'request', '--store', made.data);
    expect(await refusal(serving(made))).toMatch(
      /no root has certified the key [0-9a-f]{64} of this server: weft authority certify/,
    );
    const signer = await made.certify('root.key');

    await chmod(join(made.data, 'signer.key'), 0o644);
    const read = serving(made);
    expect([await read.ended, read.err.join()]).toEqual([
      1,
      expect.stringMatching(/signer.key can be read by others; .*chmod 600/),
    ]);
    await chmod(join(made.data, 'signer.key'), 0o600);

    const text = await readFile(made.file, 'utf8');
    const { roots, ...rest } = JSON.parse(text) as Record<string, string[]>;
    await writeFile(made.file, JSON.stringify({ roots: ['cd'.repeat(32)], ...rest }));
    expect(await refusal(serving(made))).toMatch(/is certified by [0-9a-f]{64}, which is no root there/);
    await writeFile(made.file, JSON.stringify({ roots, ...rest, founders: [] }));
    expect(await refusal(serving(made))).toMatch(/no root lets the key [0-9a-f]{64} of this store begin rooms/);
    const forged = rest['certificates']!.map((hex) => hex.slice(0, -2) + (hex.endsWith('00') ? '01' : '00'));
    await writeFile(made.file, JSON.stringify({ roots, ...rest, certificates: forged }));
    expect(await refusal(serving(made))).toMatch(/is not signed by whom it names/);
    await writeFile(made.file, text);

    await made.say('revoke', '--root', made.at('root.key'), '--signer', signer);
    expect(await refusal(serving(made))).toMatch(/is revoked; make another with weft authority request --new/);
    await expect(made.say('certify', '--root', made.at('root.key'), '--signer', signer)).rejects.toThrow(
      /is revoked, and stays so/,
    );
    await expect(made.say('certify', '--root', join(made.data, 'signer.key'), '--signer', signer)).rejects.toThrow(
      /is no root/,
    );
    expect(await refusal(serving({ ...made, data: 'memory' }))).toMatch(/has another key at each start/);
  });
});
