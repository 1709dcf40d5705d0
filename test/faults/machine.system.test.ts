/** The machine under the server fails: its disk is full, read-only, or does not sync any more. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Replica } from '@weft/core';
import { expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { BIN, WeftProcess } from '../support/programs/weft-process.js';
import { Peer } from './peer.js';
import { serveProcess } from './serving.js';
import { merge, push, replicaOf } from './writer.js';

const MIB = 1024 * 1024;
const DISK_BYTES = 24 * MIB;
const VALUE_BYTES = MIB - 1024;

/** Server that sees the whole machine, but for what `mounts` change. */
function serveWith(mounts: readonly string[], store: string): WeftProcess {
  const sandbox = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', ...mounts, '--die-with-parent'] as const;
  const command = ['bwrap', ...sandbox, process.execPath, BIN] as const;
  return new WeftProcess(['serve', '--listen', '127.0.0.1:0', '--store', store], { command });
}

it('fault 39: on a full disk nothing is acknowledged that is not kept, reading goes on, and with more room all of it is there after a kill', async () => {
  const folder = await tempFolder();
  // A small disk; once the server was killed nothing is free on it, and then it gets larger.
  const script = [
    `mount -t tmpfs -o size=${DISK_BYTES} tmpfs "$0"`,
    '"$@"',
    'head -c 1G /dev/zero > "$0/filler" 2> /dev/null',
    '"$@"',
    `mount -o remount,size=${2 * DISK_BYTES} "$0"`,
    'exec "$@"',
  ].join('; ');
  const spaces = ['unshare', '--user', '--map-root-user', '--mount', '--pid', '--fork', '--kill-child'] as const;
  const command = [...spaces, 'sh', '-c', script, folder, process.execPath, BIN] as const;
  // The disk is full before the server knows that it is nearly so.
  const args = ['--listen', '127.0.0.1:0', '--store', join(folder, 'data'), '--limit-disk-free-bytes', '1'];
  const weft = new WeftProcess(['serve', ...args], { command });
  const [url = ''] = await weft.line(/^ws:.*<room>$/);
  const writer = await Peer.dial(url);
  const { welcome } = await writer.join();
  const replica = await replicaOf(welcome);
  let acknowledged = 0;
  let refusal: unknown;
  for (let i = 0; i < 64 && !refusal; i++) {
    replica.set(`k${i}`, new Uint8Array(randomBytes(VALUE_BYTES)));
    await push(writer, replica).then(
      () => (acknowledged = i + 1),
      (error: unknown) => (refusal = error),
    );
  }
  expect(String(refusal)).toMatch(/closed with 1011/);
  expect(acknowledged).toBeGreaterThan(5);
  await weft.line(/"level":"error".*free space/, weft.err);

  const holds = async (at: string): Promise<void> => {
    const copy = await replicaOf(welcome);
    for (const pack of (await (await Peer.dial(at)).join()).packs) await merge(copy, pack);
    // Looked at by the runner of tests, a million bytes take seconds.
    const values = (of: Replica): Uint8Array[] =>
      Array.from({ length: acknowledged }, (_, i) => of.get(`k${i}`) as Uint8Array);
    expect(Buffer.compare(Buffer.concat(values(copy)), Buffer.concat(values(replica)))).toBe(0);
    expect(copy.get(`k${acknowledged}`)).toBeUndefined();
  };
  await holds(url);
  const shell = childOf(weft.pid);
  process.kill(childOf(shell), 'SIGKILL');
  await weft.line(/cannot use the data folder .*: the disk is full; free space or raise the quota/, weft.err);
  const urls = (): string[] => weft.out.filter((line) => line.startsWith('ws:'));
  await expect.poll(urls, { timeout: 60_000 }).toHaveLength(2);
  await holds(urls()[1]!);
  process.kill(shell, 'SIGTERM');
  expect((await weft.exited).signal).toBeNull();
}, 60_000);

it('fault 39: when the disk does not sync any more, nothing is acknowledged, reading goes on, and what was acknowledged is there afterwards', async () => {
  const folder = join(await tempFolder(), 'data');
  // Counted in each thread, so one thread does all of it.
  const inject = ['-e', 'trace=fsync,fdatasync', '-e', 'inject=fsync,fdatasync:error=EIO:when=60+'];
  const env = { UV_THREADPOOL_SIZE: '1' };
  const tracer = ['strace', '-f', '--seccomp-bpf', '-qq', '-o', '/dev/null', ...inject, process.execPath, BIN];
  // A process space of its own: what is in it ends with it.
  const command = ['bwrap', '--dev-bind', '/', '/', '--unshare-pid', '--die-with-parent', ...tracer] as const;
  const weft = new WeftProcess(['serve', '--listen', '127.0.0.1:0', '--store', folder], { command, env });
  const [url = ''] = await weft.line(/^ws:.*<room>$/);
  const writer = await Peer.dial(url);
  const { welcome } = await writer.join();
  const replica = await replicaOf(welcome);
  let acknowledged = 0;
  let refusal: unknown;
  for (let i = 0; i < 200 && !refusal; i++) {
    replica.set(`k${i}`, i);
    await push(writer, replica).then(
      () => (acknowledged = i + 1),
      (error: unknown) => (refusal = error),
    );
  }
  expect(String(refusal)).toMatch(/closed with 1011/);
  expect(acknowledged).toBeGreaterThan(0);
  const again = await Peer.dial(url);
  await again.join();
  const other = await replicaOf(welcome);
  other.set('again', 1);
  await expect(push(again, other)).rejects.toThrow('closed with 1011');
  await weft.line(/"level":"error".*the disk fails.*until it works again/, weft.err);

  const holds = async (at: string): Promise<void> => {
    const copy = await replicaOf(welcome);
    for (const pack of (await (await Peer.dial(at)).join()).packs) await merge(copy, pack);
    for (let i = 0; i < acknowledged; i++) expect(copy.get(`k${i}`)).toBe(i);
  };
  await holds(url);
  await weft.kill('SIGKILL');
  await holds((await serveProcess('--store', folder)).url);
}, 60_000);

it('fault 39: on a read-only disk the start fails and says what to do', async () => {
  const folder = await tempFolder();
  const weft = serveWith(['--ro-bind', folder, folder], folder);
  expect(await weft.exited).toMatchObject({ code: 1 });
  expect(weft.err.join('\n')).toContain(folder);
  expect(weft.err.join('\n')).toMatch(/the disk is read-only; mount it writable, or name a folder elsewhere/);
}, 60_000);

/** Process id of the server itself: its wrapper does not pass signals on. */
function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
}
