import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentTable } from '../../operations/agent-tools/table.js';
import { operationTable, tableOf } from '../../operations/table.js';
import { checkTable } from './check-table.js';
import { type Operation, Parsed } from '../../operations/kernel/define.js';

const sound: Operation = {
  summary: 'Does it.',
  scope: 'read',
  in: z.object({ id: z.string().describe('Id.'), limit: z.number().optional().describe('Limit.') }),
  out: z.object({ ok: z.boolean().describe('Done.') }),
  rest: { method: 'GET', path: '/studio/things/{id}', query: ['limit'] },
  tool: 'thing_read',
  external: undefined,
  dispatch: false,
  human: false,
  granted: false,
  ofPeople: [],
  asks: undefined,
  follows: undefined,
  refuses: [],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  parse: (raw) => new Parsed(raw),
  version: undefined,
  call: () => Promise.resolve({ data: { ok: true } }),
};

function tableWith(...changes: Partial<Operation>[]) {
  const table = tableOf({ thing: Object.fromEntries(changes.map((change, n) => [`op${n}`, { ...sound, ...change }])) });
  return () => {
    checkTable(table);
    return table;
  };
}

const posted = { method: 'POST', path: '/studio/things/{id}', query: ['limit'] } as const;
const follows = { begunBy: 'thing.op0', endedBy: 'thing.none', namedBy: 'id', stands: () => undefined };
const external = { name: 'thing', out: sound.out, result: (out: unknown) => out };

describe('the table', () => {
  it('names operations by noun and verb', () => {
    expect(tableWith({})().map(({ id }) => id)).toEqual(['thing.op0']);
  });

  it.each([
    ['the studio', operationTable],
    ['agents alone', agentTable],
  ])('of %s is sound', (_of, table) => {
    expect(table.length).toBeGreaterThan(10);
    expect(() => checkTable(table)).not.toThrow();
  });

  it('has the routes and tools of repositories', () => {
    const ofRepositories = operationTable.filter(({ id }) => id.startsWith('repository.'));
    expect(
      ofRepositories.map(({ id, rest, tool, external: outside }) => [
        id,
        rest?.method,
        rest?.path,
        tool,
        outside?.name,
      ]),
    ).toEqual(
      expect.arrayContaining([
        ['repository.list', 'GET', '/studio/repositories', 'repository_list', 'repo_list'],
        [
          'repository.listFiles',
          'GET',
          '/studio/repositories/{repositoryId}/files',
          'repository_list_files',
          undefined,
        ],
        ['repository.register', 'POST', '/studio/repositories', 'repository_register', 'repo_register'],
      ]),
    );
  });

  it.each<[string, Partial<Operation>[]]>([
    [
      'route GET /studio/things/{}',
      [{}, { tool: 'other', rest: { method: 'GET', path: '/studio/things/{id}', query: ['limit'] } }],
    ],
    ['tool thing_read', [{}, { rest: undefined }]],
    ['external tool thing', [{ external }, { tool: 'other', rest: undefined, external }]],
  ])('refuses a repeated %s', (what, changes) => {
    expect(tableWith(...changes)).toThrow(`the ${what} is declared twice`);
  });

  it.each<[string, Partial<Operation>]>([
    ['for people, and for agents too', { human: true, dispatch: true }],
    ['has no door', { rest: undefined, tool: undefined }],
    ['unusable tool name Thing', { tool: 'Thing' }],
    ['unusable tool name', { tool: 'a'.repeat(41) }],
    ['unusable tool name a.b', { external: { ...external, name: 'a.b' } }],
    [
      'asks, and would do twice',
      {
        asks: { questions: () => [], answeredBy: 'thing.op0' },
        hints: { ...sound.hints, readOnly: false },
        rest: posted,
      },
    ],
    [
      'follows what it changes',
      { follows: { ...follows, endedBy: 'thing.op0' }, hints: { ...sound.hints, readOnly: false }, rest: posted },
    ],
    ['follows what no operation begins or ends', { follows }],
    ['asks what no operation takes the answer to', { asks: { questions: () => [], answeredBy: 'thing.none' } }],
    ['both read-only and destructive', { hints: { ...sound.hints, destructive: true } }],
    ['GET exactly when', { hints: { ...sound.hints, readOnly: false } }],
    ['no body for limit', { rest: { method: 'GET', path: '/studio/things/{id}', query: [] } }],
    [
      'has id in its URL',
      {
        in: z.object({ id: z.object({}).describe('Id.') }),
        rest: { method: 'GET', path: '/studio/things/{id}', query: [] },
      },
    ],
    [
      'takes a branch that the query cannot name',
      {
        in: z.object({ branchId: z.string().describe('Id.') }),
        rest: { method: 'GET', path: '/studio/things/{branchId}', query: [] },
      },
    ],
    [
      'leaves in.id undescribed',
      { in: z.object({ id: z.string() }), rest: { method: 'GET', path: '/studio/things/{id}', query: [] } },
    ],
    [
      'leaves out[].deep.x undescribed',
      { out: z.array(z.object({ deep: z.object({ x: z.string() }).describe('Deep.') })) },
    ],
    ['leaves external out.x undescribed', { external: { ...external, out: z.object({ x: z.string() }) } }],
  ])('refuses an operation that %s', (why, change) => {
    expect(tableWith(change)).toThrow(why);
  });
});
