/** Programs among the servers of tools, confined on this machine by bubblewrap. */
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../../testing/temp-folder.js';
import { installedToolServer } from '../../testing/doors/tool-server.js';
import { nodePrograms } from '../../workspace/programs/node-programs.js';
import { markedWith } from '../../workspace/programs/process-identity.js';
import { findConfinement } from '../../workspace/sandbox/node-confinement.js';
import type { Reach, ServerAsked } from '../../workspace/tool-servers/tool-servers.js';

async function begun() {
  const base = await tempFolder();
  const folder = join(base, 'work');
  await mkdir(folder);
  await writeFile(join(folder, 'a.txt'), '');
  await writeFile(join(base, 'token'), 'secret');
  const own = join(base, 'studio');
  const confinement = await findConfinement(own);
  expect(confinement.kind).toBe('bubblewrap');
  const open = async () => {
    const programs = await nodePrograms(own, { confinement, graceMs: 200 });
    onTestFinished(() => programs.close());
    return programs;
  };
  const programs = await open();
  let asked = 0;
  const service = createServer((_, response) => {
    asked += 1;
    response.end();
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void service.close());
  const address = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const command = await installedToolServer(base);
  const usual = { command, folder, network: 'off', environment: {} } as const;
  const tools = await programs.servers.list(usual, 20_000);
  const call = async (tool: string, input: object, reach: Reach = usual) => {
    const { digest = '' } = tools.find(({ name }) => name === tool) ?? {};
    const more = { server: 'docs', workUnitId: 'wu-1', timeoutMs: 20_000, signal: new AbortController().signal };
    const wanted: ServerAsked = { ...more, tool, digest, input: { ...input }, reach };
    const { text } = await programs.servers.call(wanted);
    return text;
  };
  return { base, folder, own, open, programs, address, command, usual, call, asked: () => asked };
}

it('a server that is a program sees and writes the folder of the unit alone, and has no network unless a person said so', async () => {
  const { base, folder, address, usual, call, asked } = await begun();
  expect(JSON.parse(await call('look', { address }))).toEqual({
    folder,
    seen: ['a.txt'],
    reached: 'not reached',
    key: 'none',
  });
  expect(asked()).toBe(0);
  expect(await call('write', { path: 'b.txt', text: 'in' })).toBe('written');
  expect(await readFile(join(folder, 'b.txt'), 'utf8')).toBe('in');
  for (const path of [`${base}/beside`, `${base}/token`, '/etc/weft-was-here'])
    expect(await call('write', { path, text: 'out' }), path).toMatch(/^E[A-Z]+$|^written$/);
  expect(await readFile(join(base, 'token'), 'utf8')).toBe('secret');
  expect((await readdir(base)).sort()).toEqual(['node_modules', 'studio', 'token', 'work']);
  expect(JSON.parse(await call('look', { address }, { ...usual, network: 'on' }))).toMatchObject({
    reached: 'reached',
  });
  expect(asked()).toBe(1);
});

it('one that is given a key begins in an empty folder, from which the work is not seen', async () => {
  const { own, address, command, call } = await begun();
  const reach = { command, network: 'off', environment: { TOOL_KEY: 'hunter2' } } as const;
  const seen = JSON.parse(await call('look', { address }, reach)) as { folder: string };
  expect(seen).toMatchObject({
    seen: [],
    key: 'hunter2',
    folder: expect.stringContaining(join(own, 'server-folders')) as string,
  });
  expect(await call('write', { path: join(own, '..', 'work', 'c.txt'), text: 'out' }, reach)).toBe('ENOENT');
});

it('ends with its unit and with the host, and one that outlived a host is ended by the next', async () => {
  const { own, open, programs, call } = await begun();
  const marks = async (): Promise<string[]> =>
    (await readdir(join(own, 'runs'))).map((name) => name.replace(/\.json$/, ''));
  const alive = async (mark: string): Promise<number> => (await markedWith('WEFT_RUN', mark)).length;
  await call('count', {});
  const [first = ''] = await marks();
  expect(await alive(first)).toBeGreaterThan(0);
  programs.servers.end('wu-1');
  await expect.poll(() => alive(first)).toBe(0);
  expect(await call('count', {})).toBe('1');
  await expect.poll(async () => (await marks()).length).toBe(1);
  const [second = ''] = await marks();
  // The next host finds what this one, as if it had died, has left running.
  const next = await open();
  expect(await alive(second)).toBe(0);
  await next.close();
  await expect(call('count', {})).resolves.toBe('1');
  const [third = ''] = await marks();
  await programs.close();
  expect(await alive(third)).toBe(0);
});
