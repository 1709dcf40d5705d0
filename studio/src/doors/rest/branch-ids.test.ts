/** A branch is the one that was asked for, whatever its id, wherever a route takes it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { expect, it, onTestFinished } from 'vitest';
import { type NamedOperation, Parsed } from '../../operations/kernel/define.js';
import { inputBinding } from '../../operations/kernel/input-fields.js';
import { operationTable } from '../../operations/table.js';
import { makeUnit, read } from '../../testing/doors/calls.js';
import { openTestLedger } from '../../testing/record/test-ledger.js';
import { testShared } from '../../testing/record/test-shared.js';
import { startTestStudio, testTokens } from '../../testing/test-studio.js';
import { createFront } from '../front.js';
import { createGuard } from '../entry/guard.js';
import { TokenBook } from '../entry/token-book.js';

const IDS = [
  ...[
    'plain',
    'merge/wu-1',
    'a/b/c',
    'a%2Fb',
    'a%252Fb',
    'with space',
    ' at its ends ',
    '+',
    'größe/日本語',
    '𝕏',
    'a?b=c&d#e',
  ],
  ...['%', '%zz', 'x--y', "it's", '"', '\\', 'a;b,c', 'a:b@c', 'null', '0'],
];

/** An id that no branch begins with, and a record from before may hold. */
const NO_MORE = '..a';

/** Routes beside each other are asked for different ids, so that each is asked for somewhere; in the long suite each for all. */
const STEP = process.env['TESTS_LONG'] ? 1 : 3;

const named = operationTable.filter((one) => one.rest !== undefined && one.in.shape['branchId'] !== undefined);

/** All routes that take a branch, each answering what it was asked. */
async function serveEchoes(): Promise<string> {
  const echo = ({ ...operation }: NamedOperation): NamedOperation => {
    return {
      ...operation,
      human: false,
      granted: false,
      ofPeople: [],
      parse: (raw) => new Parsed(raw),
      call: (_, { value }) => Promise.resolve({ data: value }),
    };
  };
  const opened = await openTestLedger();
  const shared = await testShared(opened);
  const guard = createGuard(new TokenBook(testTokens, opened.records.tokens, shared.now), []);
  const limit = { perSecond: 1e9, burst: 1e9 };
  const front = createFront({ table: named.map(echo), shared, guard, limit });
  const serve = getRequestListener(front.fetch);
  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function requestsFor(operation: NamedOperation, branchId: string): { url: string; body?: string }[] {
  const { rest } = operation;
  const places = inputBinding(operation);
  const path = (inPath: string) =>
    rest!.path.replace(/\{([^}]*)\}/g, (_, key: string) => (key === 'branchId' ? inPath : 'x'));
  const query = `?${new URLSearchParams({ branchId }).toString()}`;
  if (places.body.includes('branchId')) return [{ url: path(''), body: JSON.stringify({ branchId }) }];
  if (places.query.includes('branchId')) return [{ url: path('') + query }];
  const encoded = encodeURIComponent(branchId);
  const lower = encoded.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase());
  return [encoded, lower, `-${query}`, `another${query}`].map((one) =>
    one.includes('?') ? { url: path(one.split('?')[0]!) + query } : { url: path(one) },
  );
}

it('every route that takes a branch is asked for exactly that one', async () => {
  const origin = await serveEchoes();
  expect(named.filter((one) => inputBinding(one).either.includes('branchId')).length).toBeGreaterThan(8);
  for (const [route, operation] of named.entries())
    for (const branchId of [...IDS, NO_MORE].filter((_, place) => place % STEP === route % STEP))
      for (const { url, body } of requestsFor(operation, branchId)) {
        const headers = { authorization: `Bearer ${testTokens.admin}`, 'content-type': 'application/json' };
        const { method } = operation.rest!;
        const answer = await fetch(origin + url, { method, headers, ...(body === undefined ? {} : { body }) });
        expect(await answer.json(), `${method} ${url}`).toMatchObject({ branchId });
      }
});

it('what happened on a branch is found by its id', async () => {
  const studio = await startTestStudio();
  const units = new Map<string, string>();
  for (const branchId of IDS) units.set(branchId, (await makeUnit(studio, { branchId })).workUnitId);
  for (const [branchId, workUnitId] of units) {
    const [inPath, inQuery] = [encodeURIComponent(branchId), new URLSearchParams({ branchId }).toString()];
    for (const at of [inPath, `-?${inQuery}`]) {
      const told = await read<{ workUnitId: string }[]>(studio, `/replay/timeline/${at}`);
      expect([branchId, ...new Set(told.map((one) => one.workUnitId))]).toEqual([branchId, workUnitId]);
    }
    const found = await read<{ workUnitId: string }[]>(studio, `/workunits?${inQuery}`);
    expect(found.map((one) => one.workUnitId)).toEqual([workUnitId]);
  }
});
