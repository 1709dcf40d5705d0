import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { operation } from '../../operations/kernel/define.js';
import { agentTable } from '../../operations/agent-tools/table.js';
import { operationTable, tableOf } from '../../operations/table.js';
import { STUDIO_REASONS } from '../../reasons.js';
import { renderStudioDocs } from './docs.js';

describe('the generated reference', () => {
  const pages = renderStudioDocs(operationTable);
  const text = Object.values(pages).join('\n');

  it('names every operation, route, tool and refusal', () => {
    for (const { id, rest, tool, external } of operationTable) {
      expect(text).toContain(`## ${id}\n`);
      if (rest) expect(text).toContain(`\`${rest.method} ${rest.path}\``);
      if (tool) expect(text).toContain(`\`svc_v1_${tool}\``);
      if (external) expect(text).toContain(`\`svcs_v1_${external.name}\``);
    }
    for (const reason of Object.keys(STUDIO_REASONS)) expect(text).toContain(`| \`${reason}\` |`);
  });

  it('has a page for each noun, and one that leads to all of them', () => {
    const { 'studio.md': index = '', 'studio/agent-tools.md': own = '', ...nouns } = pages;
    expect(index).toContain('](studio/agent-tools.md)');
    for (const { tool } of agentTable) expect(own).toContain(`\n## ${tool}\n`);
    for (const path of Object.keys(nouns)) expect(index).toContain(`](${path}) | `);
    expect(nouns['studio/workunit.md'] ?? '').toContain('\n## workunit.create\n');
    expect(Object.keys(nouns).length).toBe(new Set(operationTable.map(({ id }) => id.split('.')[0])).size);
  });

  it('says where each field travels, and of what type it is', () => {
    expect(text).toContain('| `repositoryId` | path | string | Id of a registered repository. |');
    expect(text).toMatch(/\| `subPath\?` \| query \| string \|/);
    expect(text).toMatch(/\| `label\?` \| body \| string \|/);
    expect(text).toMatch(/\| `repositories\[\]\.label` \| string or null \|/);
  });

  it('is the same each time, and keeps tables whole whatever the text', () => {
    expect(renderStudioDocs(operationTable)).toEqual(pages);
    const odd = operation({
      summary: 'Odd.',
      scope: 'read',
      in: z.object({ kind: z.enum(['a', 'b']).describe('One | two\nthree.') }),
      out: z.object({ deep: z.object({ x: z.number().describe('X.') }).describe('Deep.') }),
      tool: 'odd',
      refuses: [],
      annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    }).run(() => ({ deep: { x: 1 } }));
    const page = renderStudioDocs(tableOf({ thing: { odd } }))['studio/thing.md'];
    expect(page).toContain('| `kind` | body | "a" or "b" | One \\| two three. |');
    expect(page).toContain('| `deep.x` | number | X. |');
  });
});
