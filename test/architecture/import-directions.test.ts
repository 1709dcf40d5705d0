import { describe, expect, it } from 'vitest';
import { emptyRows, importBreaches } from './import-directions.js';

const manifests = {
  'package.json': `{
    "imports": { "#core/*": "./core/src/*.ts", "#log": { "node": "./server/src/log.ts" }, "#own/*": "./test/*.ts" }
  }`,
  'core/package.json': '{ "dependencies": { "zod": "4", "level": "10" } }',
  'server/package.json': '{ "dependencies": { "ws": "8" } }',
  'studio/package.json': '{ "dependencies": { "zod": "4", "hono": "4", "@weft/core": "0.1.0" } }',
  'cli/package.json': '{}',
};

function breaches(files: Record<string, string>): string[] {
  return importBreaches(new Map(Object.entries({ ...manifests, ...files })));
}

/** Breaches: a file, its text, and a part of the rule that it must break. */
const bad: readonly (readonly [string, string, string])[] = [
  ['core/src/codec/a.ts', `import { b } from '../graph/b.js';`, 'core/codec may not import core/graph'],
  ['core/src/codec/a.ts', `import type { B } from '../graph/b.js';`, 'core/codec may not import core/graph'],
  ['core/src/codec/a.ts', `export { b } from '../graph/b.js';`, 'core/codec may not import core/graph'],
  ['core/src/codec/a.ts', `export const b = await import('../graph/b.js');`, 'core/codec may not import core/graph'],
  ['core/src/codec/a.ts', `export type B = import('../graph/b.js').B;`, 'core/codec may not import core/graph'],
  ['core/src/codec/a.ts', `import { readFile } from 'node:fs';`, 'does not import this Node built-in'],
  ['core/src/codec/a.ts', `import { readFile } from 'fs/promises';`, 'does not import this Node built-in'],
  ['core/src/codec/a.ts', `import 'left-pad';`, 'not among the dependencies of core'],
  ['core/src/codec/a.ts', `import { x } from '@weft/server';`, 'core may not import @weft/server'],
  ['core/src/codec/a.ts', `import { x } from '../index.js';`, 'may not import core/index.ts'],
  ['core/src/codec/a.ts', `import { x } from './x.test.js';`, 'product code imports a test'],
  ['core/src/ports/a.ts', `import { b } from '../codec/b.js';`, 'only types of core/codec'],
  ['core/src/room/a.ts', `import { b } from '../query/b.js';`, 'core/room may not import core/query'],
  ['core/src/room/a.ts', `import { b } from '../session/b.js';`, 'core/room may not import core/session'],
  ['core/src/room/reading/a.ts', `import type { B } from '../intake/b.js';`, 'may not import core/room/intake'],
  ['core/src/room/keeping/a.ts', `import { b } from '../writing/b.js';`, 'only types of core/room/writing'],
  ['core/src/room/admission/a.ts', `import type { B } from '../writing/b.js';`, 'may not import core/room/writing'],
  ['core/src/room/intake/a.ts', `import { b } from '../writing/b.js';`, 'only types of core/room/writing'],
  ['core/src/room/writing/a.ts', `import type { B } from '../room.js';`, 'core/room/writing may not import core/room'],
  ['core/src/topology/a.ts', `import { b } from '../room/writing/b.js';`, 'only types of core/room/writing'],
  ['core/src/query/a.ts', `import { b } from '../archive/b.js';`, 'core/query may not import core/archive'],
  ['core/src/wire/a.ts', `import { b } from '../graph/b.js';`, 'only types of core/graph'],
  ['core/src/session/a.ts', `import { b } from '../commands/b.js';`, 'core/session may not import core/commands'],
  ['core/src/contract/a.ts', `import type { B } from '../session/b.js';`, 'core/contract may not import core/session'],
  ['core/src/commands/a.ts', `import { b } from './b.js';`, 'do not import each other'],
  ['core/src/room/a.ts', `import { Level } from 'level';`, 'not for core/room'],
  ['core/src/room/a.ts', `import { b } from '../adapters/level/b.js';`, 'core/room may not import core/adapters'],
  ['core/src/new-layer/a.ts', `export const a = 1;`, 'not in the table of layers'],
  ['core/src/room/new-layer/a.ts', `export const a = 1;`, 'not in the table of layers'],
  ['core/src/stray.ts', `export const a = 1;`, 'not in the table of layers'],
  ['core/src/index.ts', `import { Level } from 'level';`, 'not for core/index.ts'],
  ['core/src/rejection.ts', `import { b } from './codec/b.js';`, 'core/rejection.ts may not import core/codec'],
  ['server/src/a.ts', `import { x } from '../../core/src/index.js';`, 'server reaches into core'],
  ['server/src/a.ts', `import { x } from '@weft/core/dist/index.js';`, 'not a public name'],
  ['server/src/a.ts', `import { x } from '@weft/studio';`, 'server may not import @weft/studio'],
  ['studio/src/record/ledger/a.ts', `import { x } from 'ws';`, 'only the server imports a socket library'],
  ['studio/src/models/a.ts', `import OpenAI from 'openai';`, 'only the providers of models know a vendor'],
  ['cli/src/a.ts', `await import('@anthropic-ai/sdk');`, 'only the providers of models know a vendor'],
  ['studio/src/record/aggregates/goal/a.ts', `import { b } from '../branch/b.js';`, 'do not import each other'],
  [
    'studio/src/record/aggregates/goal/a.ts',
    `import { readFile } from 'node:fs';`,
    'does not import this Node built-in',
  ],
  ['studio/src/record/aggregates/goal/a.ts', `import { randomUUID } from 'node:crypto';`, 'takes only createHash'],
  ['studio/src/operations/a.ts', `import { nodeGit } from '../workspace/git/user/node-git.js';`, 'gets this as a port'],
  ['studio/src/rules/goals/a.ts', `import { b } from '../../operations/b.js';`, 'may not import studio/operations'],
  ['studio/src/rules/goals/a.ts', `import type { B } from '../queue/b.js';`, 'may not import studio/rules/queue'],
  ['studio/src/rules/stray/a.ts', `export const a = 1;`, 'not in the table of layers'],
  ['studio/src/models/a.ts', `import type { B } from '../drivers/b.js';`, 'may not import studio/drivers'],
  ['studio/src/record/views/a.ts', `import { start } from '../../studio.js';`, 'may not import studio/studio.ts'],
  ['core/src/client.ts', `export { createHost } from './engine.js';`, 'may not import core/engine.ts'],
  ['core/src/room/a.ts', `import { createHost } from '../engine.js';`, 'may not import core/engine.ts'],
  ['studio/src/record/aggregates/goal/a.ts', `import { createHost } from '@weft/core';`, 'takes only Rejection'],
  [
    'studio/src/record/ledger/a.ts',
    `import { b } from '../aggregates/goal/b.js';`,
    'only types of studio/record/aggregates',
  ],
  ['studio/src/operations/a.ts', `import { b } from '../doors/b.js';`, 'studio/operations may not import studio/doors'],
  ['studio/src/operations/a.ts', `import { Hono } from 'hono';`, 'not for studio/operations'],
  [
    'studio/src/doors/a.ts',
    `import type { B } from '../record/aggregates/goal/b.js';`,
    'may not import studio/record/aggregates',
  ],
  ['studio/src/drawer/a.ts', `export const a = 1;`, 'not in the table of layers'],
  ['cli/src/a.ts', `import { x } from '../../server/src/x.js';`, 'cli reaches into server'],
  ['test/a.test.ts', `import { x } from '../core/src/codec/x.js';`, 'test reaches into core'],
  ['bench/a.ts', `import { x } from '../core/dist/index.js';`, 'bench reaches into core'],
  ['test/a.test.ts', `import { x } from '#core/codec/x';`, 'test reaches into core'],
  ['bench/a.ts', `import { x } from '#log';`, 'bench reaches into server'],
  ['test/a.mjs', `await import('../core/src/codec/x.js');`, 'test reaches into core'],
  ['test/a.test.ts', `import { x } from '#gone/x';`, 'no package.json maps this name'],
  ['server/src/a.ts', `import { x } from '../../test/support/x.js';`, 'server reaches into test'],
  ['server/src/a.test.ts', `import { x } from '../../test/e2e/x.js';`, 'server reaches into test'],
  ['examples/story/main.ts', `import { x } from '../../core/src/codec/x.js';`, 'examples reaches into core'],
];

describe('import directions', () => {
  it.each(bad)('%s: %s breaks a rule', (path, text, rule) => {
    const found = breaches({ [path]: text });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(rule);
    expect(found[0]?.startsWith(path)).toBe(true);
  });

  it('names file, import and rule', () => {
    const text = `import { b } from '../query/b.js';`;
    expect(breaches({ 'core/src/room/a.ts': text })).toEqual([
      'core/src/room/a.ts -> ../query/b.js (core/room may not import core/query)',
    ]);
  });

  it('accepts what the table allows', () => {
    const good = {
      'core/src/codec/a.ts': `import { b } from './b.js';\nimport * as z from 'zod';`,
      'core/src/codec/a.test.ts': `import { x } from '../room/x.js';\nimport { readFileSync } from 'node:fs';`,
      'core/src/ports/a.ts': `import type { B } from '../codec/b.js';\nimport { type C } from '../graph/c.js';`,
      'core/src/room/a.ts': `import { b } from '../graph/b.js';`,
      'core/src/session/a.ts': `import type { CommandTable } from '../contract/command-table.js';`,
      'core/src/commands/table.ts': `import * as sync from './sync.js';`,
      'core/src/commands/sync.ts': `import { command } from '../contract/command.js';\nimport { d } from '../codec/d.js';`,
      'core/src/adapters/level/a.ts': `import { Level } from 'level';\nimport { join } from 'node:path';`,
      'core/src/level.ts': `export { levelStore } from './adapters/level/a.js';`,
      'core/src/client.ts': `export { createReplica } from './client/replica.js';`,
      'server/src/a.ts': `import { WebSocketServer } from 'ws';\nimport { createHost } from '@weft/core';`,
      'studio/src/record/aggregates/goal/decide.ts': `import { type Room, Rejection } from '@weft/core';\nimport './events.js';`,
      'studio/src/doors/rest.ts': `import { Hono } from 'hono';\nimport { table } from '../operations/table.js';`,
      'studio/src/studio.ts': `import { rest } from './doors/rest.js';\nimport { goals } from './record/aggregates/goal/goal.js';`,
      'server/src/a.test.ts': `import { x } from '../../test/support/x.js';`,
      'test/a.test.ts': `import { x } from '@weft/core/testing';\nimport { y } from './support/y.js';\nimport '#own/z';`,
      'bench/run.mjs': `import { x } from '../.ci/x.mjs';`,
    };
    expect(breaches(good)).toEqual([]);
  });
});

describe('rows of the table of layers', () => {
  it('stand for places that are there, and allow places that have rows', () => {
    const files = new Map([['core/src/codec/a.ts', '']]);
    const codec = { layer: 'core/codec', values: ['*'] };
    expect(emptyRows(files, [codec])).toEqual([]);
    expect(emptyRows(files, [codec, { layer: 'core/gone', values: ['core/codec', 'core/lost'] }])).toEqual([
      'core/gone has a row and no files',
      'core/gone allows core/lost, which has no row',
    ]);
  });
});
