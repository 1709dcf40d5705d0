import { once } from 'node:events';
import { readFile, readdir, readlink } from 'node:fs/promises';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type Host, createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { memoryStore } from '@weft/core/memory';
import { describe, expect, it, vi } from 'vitest';
import { type StudioOptions, startStudio } from './studio.js';
import { tempFolder } from './testing/temp-folder.js';
import { startTestStudio, testTokens } from './testing/test-studio.js';
import { STUDIO_VERSION } from './version.js';

const silent = () => undefined;

function start(listen: string, allowedHosts: string[] = []) {
  const host = createHost({ store: memoryStore() });
  return startStudio({ host, listen, tokens: testTokens, log: silent, allowedHosts });
}

interface Place {
  readonly base: string;
  readonly host: Host;
  readonly taken: number;
}

/** Files and folders below one that this process has open, on machines that tell. */
async function openBelow(folder: string): Promise<readonly string[]> {
  const numbers = await readdir('/proc/self/fd').catch(() => []);
  const targets = await Promise.all(numbers.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => '')));
  return targets.filter((target) => target.startsWith(folder));
}

/** A request that the studio has taken in, and whose body is still to come. */
async function requestInProgress(port: number) {
  const body = JSON.stringify({ path: join(await tempFolder(), 'tree') });
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/studio/repositories',
    headers: {
      authorization: `Bearer ${testTokens.operate}`,
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
    },
  });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  outgoing.flushHeaders();
  // The server says "continue" when it has taken the request in; its body is still to come.
  await once(outgoing, 'continue');
  return { outgoing, answered, body };
}

describe('the studio', () => {
  it('says where it listens', async () => {
    const studio = await start('127.0.0.1:0');
    expect(studio.url).toBe(`http://127.0.0.1:${studio.port}/studio`);
    const answer = await fetch(studio.url);
    expect(answer.status).toBe(200);
    await studio.close();
    await expect(fetch(studio.url)).rejects.toThrow();
  });

  it.each<readonly [string, (place: Place) => Partial<StudioOptions> | Promise<Partial<StudioOptions>>, string]>([
    ['names no server', () => ({ sandboxHosts: ['no server'] }), 'no server is no server'],
    ['names a recording that is not there', ({ base }) => ({ models: { replay: join(base, 'none') } }), 'ENOENT'],
    ['names a model that there is not', () => ({ agents: { usual: { provider: 'nobody' } } }), 'nobody'],
    [
      'has a host that is closed',
      async ({ host }) => {
        await host.close();
        return {};
      },
      'closed',
    ],
    ['finds an address that is taken', ({ taken }) => ({ listen: `127.0.0.1:${taken}` }), 'address already in use'],
  ])('leaves nothing open where it %s', async (_what, wanted, message) => {
    const first = await start('127.0.0.1:0');
    const base = await tempFolder();
    vi.stubEnv('TMPDIR', base);
    const host = createHost({ store: memoryStore() });
    const options = await wanted({ base, host, taken: first.port });
    const given = { host, listen: '127.0.0.1:0', tokens: testTokens, log: silent, ...options };
    await expect(startStudio(given)).rejects.toThrow(message);
    vi.unstubAllEnvs();
    expect(await readdir(base)).toEqual([]);
    expect(await openBelow(base)).toEqual([]);
    await first.close();
    await host.close();
  });

  it('says what to do when the port is taken', async () => {
    const first = await start('127.0.0.1:0');
    await expect(start(`127.0.0.1:${first.port}`)).rejects.toThrow(
      `cannot listen on 127.0.0.1:${first.port}: address already in use; choose another with --listen (of weft up: --studio-listen)`,
    );
    await first.close();
  });

  it.each(['7880', '127.0.0.1', '127.0.0.1:70000', '127.0.0.1:', ':7880', '::1:7880', 'http://127.0.0.1:7880'])(
    'refuses to listen on %s, with an example',
    async (listen) => {
      await expect(start(listen)).rejects.toThrow('such as 127.0.0.1:7880');
    },
  );

  it('answers under other host names only when told to', async () => {
    const studio = await start('127.0.0.1:0', ['studio.internal']);
    const statusFor = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const outgoing = request(
          { host: '127.0.0.1', port: studio.port, path: '/studio', headers: { host } },
          (incoming) => {
            incoming.resume();
            resolve(incoming.statusCode);
          },
        );
        outgoing.on('error', reject);
        outgoing.end();
      });
    expect(await statusFor('studio.internal:80')).toBe(200);
    expect(await statusFor('other.internal')).toBe(403);
    await studio.close();
  });

  it('lets a request in progress end when it is closed, and takes no other', async () => {
    const studio = await startTestStudio();
    const { outgoing, answered, body } = await requestInProgress(studio.port);
    const closing = studio.close();
    await expect(fetch(studio.url)).rejects.toThrow();
    outgoing.end(body);
    const [answer] = await answered;
    expect(answer.statusCode).toBe(200);
    expect(answer.headers.connection).toBe('close');
    answer.resume();
    await closing;
    await studio.close();
  });

  it('waits for no connection over which nothing was asked when it is closed', async () => {
    const studio = await startTestStudio();
    const { outgoing, answered, body } = await requestInProgress(studio.port);
    const forLater = connect(studio.port, '127.0.0.1');
    await once(forLater, 'connect');
    const gone = once(forLater, 'close');
    const closing = studio.close();
    await gone;
    outgoing.end(body);
    const [answer] = await answered;
    expect(answer.statusCode).toBe(200);
    answer.resume();
    await closing;
  });

  it('remembers everything after a restart', async () => {
    const folder = await tempFolder();
    const path = join(folder, 'tree');
    const before = createHost({ store: levelStore(join(folder, 'rooms')) });
    const first = await startTestStudio(before);
    await first.call('POST', '/studio/repositories', { body: { path, label: 'kept' } });
    const { json } = await first.call('GET', '/studio/repositories');
    expect(json).toMatchObject([{ path, label: 'kept' }]);
    await first.close();
    await before.close();

    const after = createHost({ store: levelStore(join(folder, 'rooms')) });
    const second = await startTestStudio(after);
    expect((await second.call('GET', '/studio/repositories')).json).toEqual(json);
    await second.call('POST', '/studio/repositories', { body: { path } });
    expect((await second.call('GET', '/studio/repositories')).json).toEqual(json);
    await second.close();
    await after.close();
  });

  it('has the version of its package', async () => {
    const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ version: STUDIO_VERSION });
  });
});
