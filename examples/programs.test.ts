/** Example of rooms in an application, without its page: it is run as its README says, and asked over HTTP. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { generateKeys, keepRoom } from '@weft/core';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';

const program = (name: string): string => join(import.meta.dirname, name, 'main.mjs');

/** The first line that a program says. */
async function firstLine({ stdout }: ChildProcess): Promise<string> {
  const [line] = (await once(createInterface(stdout!), 'line')) as [string];
  return line;
}

it('embed-in-express', async () => {
  const child = spawn(process.execPath, [program('embed-in-express')], { env: { ...process.env, PORT: '0' } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [, application] = /application on (\S+),/.exec(await firstLine(child)) ?? [];
  const { url } = (await (await fetch(`${application}/live`)).json()) as { readonly url: string };
  const client = keepRoom({ open: () => new WebSocket(`${url}/ws/plan`), keys: generateKeys() });
  await client.joined;
  const headers = { 'content-type': 'application/json' };
  const put = await fetch(`${application}/plans/plan/title`, {
    method: 'PUT',
    headers,
    body: JSON.stringify({ value: 'Road map' }),
  });
  expect(put.status).toBe(204);
  await expect.poll(() => client.replica.get('plan/title')).toBe('Road map');
  client.replica.set('plan/owner', 'Ann');
  await client.push();
  expect(await (await fetch(`${application}/plans/plan`)).json()).toEqual({
    'plan/title': 'Road map',
    'plan/owner': 'Ann',
  });
  client.close();
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});
