/** The kit for other implementations, run by its first user: the vectors on the Python client, the dialogues against a real server. */
import { createHost, keysFromSeed } from '@weft/core';
import { memoryArchives, memoryStore } from '@weft/core/memory';
import { startServer } from '@weft/server';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { PYTHON, pythonEnvironment } from './python-peer.js';

const kit = fileURLToPath(new URL('../../conformance', import.meta.url));
const run = promisify(execFile);

/** What the kit prints, and whether it was content. */
async function runKit(folder: string, ...args: readonly string[]): Promise<{ out: string; code: number }> {
  const done = run(PYTHON, [join(folder, 'run.py'), ...args], { env: pythonEnvironment });
  return done.then(
    ({ stdout }) => ({ out: stdout, code: 0 }),
    ({ stdout, code }: { stdout: string; code: number }) => ({ out: stdout, code }),
  );
}

async function serve(adminKey: string): Promise<string> {
  const stores = { file: memoryArchives() };
  const host = createHost({ store: memoryStore(), adminKey, archives: { stores, trusted: [adminKey] } });
  const server = await startServer({ host, listen: '127.0.0.1:0' });
  onTestFinished(async () => {
    await server.close();
    await host.close();
  });
  return server.url;
}

const adminSeed = createHash('sha256').update('admin').digest('hex');

describe('the kit', () => {
  it('[PK2] the vectors hold for the Python client', async () => {
    const { out, code } = await runKit(kit, 'packs');
    expect(out).toMatch(/^[1-9]\d+ passed, 0 failed, 0 left out\n$/);
    expect(code).toBe(0);
  });

  it('[VR5] so do those of proofs of values, and of the rooms that they are of', async () => {
    const { out, code } = await runKit(kit, 'values');
    expect(out).toMatch(/^[1-9]\d+ passed, 0 failed, 0 left out\n$/);
    expect(code).toBe(0);
  });

  it('[MA3] who speaks for a room, and whose keys are whose, is so for the Python client', async () => {
    const { out, code } = await runKit(kit, 'authority');
    expect(out).toMatch(/^2\d passed, 0 failed, 0 left out\n$/);
    expect(code).toBe(0);
  });

  it('[PK4] a vector that is another one is named, with what was read in its place', async () => {
    const folder = await tempFolder();
    await cp(kit, folder, { recursive: true });
    const path = join(folder, 'packs', 'one-node.json');
    const vector = JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify({ ...vector, nodes: [{ ...vector.nodes[0], wall_ms: 77 }] }));
    const { out, code } = await runKit(folder, 'packs');
    expect(out).toMatch(/^one-node \[\w+\] .*it reads as [^]*passed, 1 failed/);
    expect(code).toBe(1);
  });

  it('[HS3] the dialogues that need a socket alone hold for this server', async () => {
    const { out, code } = await runKit(kit, 'dialogues', await serve(keysFromSeed(adminSeed).publicKey));
    expect(out).toMatch(/^1\d\d passed, 0 failed, \d+ left out\n$/);
    expect(code).toBe(0);
  });

  it('[AU1] a server that takes no token of the kit fails, by step', async () => {
    const { out, code } = await runKit(kit, 'dialogues', await serve('00'.repeat(32)), 'token-refreshed', 'mst');
    expect(out).toMatch(/^token-refreshed \[AU9\] .*: step 7, [^]*1 passed, 1 failed, 0 left out\n$/);
    expect(code).toBe(1);
  });
});
