import { expect, it } from 'vitest';
import { z } from 'zod';
import { operation } from '../../operations/kernel/define.js';
import { READS } from '../../operations/kernel/hints.js';
import { BranchId } from '../../operations/branches/branch-shape.js';
import { bindInput } from './bind.js';
import { openApiDocument } from '../docs/openapi.js';

const route = operation({
  summary: 'Read a branch.',
  scope: 'read',
  in: z.object({ branchId: BranchId, other: z.string().describe('Something else.') }),
  out: z.object({}),
  rest: { route: 'GET /studio/branches/{branchId}/{other}' },
  refuses: [],
  annotations: READS,
}).run(() => ({}));

it('a branch in a path may stand in the query instead, which counts; nothing else may', () => {
  const bound = (query: string) =>
    bindInput(route, { path: { branchId: '-', other: 'x' }, query: new URLSearchParams(query), body: undefined });
  expect(bound('')).toEqual({ branchId: '-', other: 'x' });
  expect(bound('branchId=merge/wu-1')).toEqual({ branchId: 'merge/wu-1', other: 'x' });
  expect(() => bound('other=y')).toThrow('other: no such query key');
  const document = openApiDocument([{ ...route, id: 'branch.get' }]);
  expect(document).toMatchObject({
    paths: {
      '/studio/branches/{branchId}/{other}': {
        get: {
          parameters: [
            { name: 'branchId', in: 'path', required: true },
            { name: 'other', in: 'path', required: true },
            { name: 'branchId', in: 'query', required: false },
          ],
        },
      },
    },
  });
});
