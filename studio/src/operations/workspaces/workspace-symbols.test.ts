import { describe, expect, it } from 'vitest';
import { expectRefusal, post, tool, toolData } from '../../testing/doors/calls.js';
import { studioWith } from '../../testing/git/studio-repository.js';
import { operationTable } from '../table.js';

const AT = '/workspace/symbol/references?branchId=work';

describe('symbols of what is on a branch', () => {
  it('are found, also what was written a moment ago', async () => {
    const { studio, branch } = await studioWith({ 'tsconfig.json': '{}', 'a.ts': 'export const one = 1;\n' });
    await branch('work', {});
    expect(await post(studio, AT, { symbol: 'one' })).toEqual({
      locations: [{ path: 'a.ts', line: 1, column: 14, symbolName: 'one', kind: 'variable' }],
      truncated: false,
      branchId: 'work',
    });
    const content = `import { one } from './a.js';\nexport const two = one;\n`;
    await toolData(studio, 'svc_v1_workspace_write', { branchId: 'work', path: 'b.ts', content });
    const found = await toolData<{ locations: object[] }>(studio, 'svc_v1_workspace_symbol_references', {
      branchId: 'work',
      symbol: 'one',
    });
    expect(found.locations).toHaveLength(3);
    expect(
      await post(studio, '/workspace/symbol/definition?branchId=work', { path: 'b.ts', line: 2, column: 20 }),
    ).toMatchObject({ locations: [{ path: 'a.ts', line: 1 }] });
    expect(await post(studio, '/workspace/symbol/implementation?branchId=work', { symbol: 'none' })).toMatchObject({
      locations: [],
    });
  });

  it('are those of the place that is named, and no more than are wanted', async () => {
    const { studio, branch } = await studioWith({
      'tsconfig.json': '{}',
      'a.ts':
        'export interface A { go(): void }\nexport class B implements A { go() {} }\nexport class C implements A { go() {} }\n',
      'b.ts': "import { A } from './a.js';\nexport class D implements A { go() {} }\nexport const go = 1, two = go;\n",
    });
    await branch('work', {});
    const found = async (what: string, body: object) => {
      const at = `/workspace/symbol/${what}?branchId=work`;
      const { locations, truncated } = await post<{
        locations: { path: string; line: number; symbolName: string }[];
        truncated: boolean;
      }>(studio, at, body);
      return [locations.map(({ path, line, symbolName }) => `${path}:${line} ${symbolName}`), truncated];
    };
    const classes = ['a.ts:2 B', 'a.ts:3 C', 'b.ts:2 D'];
    expect(await found('implementation', { symbol: 'A' })).toEqual([classes, false]);
    expect(await found('implementation', { symbol: 'A', maxResults: 2 })).toEqual([classes.slice(0, 2), true]);
    expect(await found('references', { symbol: 'A', maxResults: 1 })).toEqual([['a.ts:1 A'], true]);
    // Definitions of a name that stands twice: both.
    const [defined] = await found('definition', { symbol: 'go' });
    expect(defined).toContain('b.ts:3 go');
    expect(await found('definition', { symbol: 'go', maxResults: 1 })).toMatchObject([{ length: 1 }, true]);
    const place = { path: 'b.ts', line: 2 };
    expect(await found('implementation', { ...place, column: 31 })).toEqual([['b.ts:2 go'], false]);
    expect(await found('implementation', { ...place, column: 14 })).toEqual([['b.ts:2 D'], false]);
    expect(await found('implementation', { path: 'a.ts', line: 1, column: 18 })).toEqual([classes, false]);
    expect(await found('references', { path: 'b.ts', line: 3, column: 14 })).toEqual([
      ['b.ts:3 go', 'b.ts:3 go'],
      false,
    ]);
    expect(await found('references', { path: 'b.ts', line: 3, column: 22 })).toEqual([['b.ts:3 two'], false]);
  });

  it('are refused where they cannot be known', async () => {
    const { studio, branch } = await studioWith({ 'a.f77': 'x' });
    await branch('work', {});
    await expectRefusal(studio, ['POST', AT, { symbol: 'x' }], 422, 'language_unsupported');
    await expectRefusal(studio, ['POST', AT, { path: 'a.f77' }], 400, 'invalid_input');
    await expectRefusal(studio, ['POST', AT, { path: 'none.ts', line: 1 }], 404, 'file_not_found');
    await expectRefusal(studio, ['POST', AT, { path: '../a.ts', line: 1 }], 400, 'path_outside_repository');
    expect((await tool(studio, 'svc_v1_workspace_symbol_definition', { symbol: 'x' })).code).toBe(
      'reject.invalid_input',
    );
  });
});

it('symbols are for the symbol tools, texts for search, and each tool says so', () => {
  const summaryOf = (name: string) => operationTable.find((one) => one.tool === `workspace_${name}`)?.summary ?? '';
  for (const name of ['symbol_definition', 'symbol_references', 'symbol_implementation'])
    expect(summaryOf(name)).toMatch(/to find a text, use workspace_search/);
  expect(summaryOf('search')).toMatch(/use the workspace_symbol tools/);
  expect(summaryOf('read')).toMatch(
    /To find a symbol, use workspace_symbol_definition; to find a text, workspace_search/,
  );
});
