import { describe, expect, it } from 'vitest';
import { OUTPUT_KINDS } from '../../record/aggregates/work-unit/events.js';
import { operationTable } from '../../operations/table.js';
import { commandFields, commandRequest, commandWords } from './command-line.js';

const find = (id: string) => operationTable.find((operation) => operation.id === id)!;

describe('the command line of an operation', () => {
  it('has two words, which no other has', () => {
    expect(commandWords(find('repository.listFiles'))).toEqual(['repository', 'list-files']);
    const all = operationTable.map((operation) => commandWords(operation).join(' '));
    expect(new Set(all).size).toBe(all.length);
    for (const words of all) expect(words).toMatch(/^[a-z-]+ [a-z-]+$/);
  });

  it('takes its fields as text spells them', () => {
    const fields = new Map(commandFields(find('workunit.create')).map((field) => [field.name, field]));
    expect(fields.get('goal')).toEqual({
      name: 'goal',
      kind: 'text',
      isRequired: true,
      summary: 'What is to be achieved.',
    });
    const kinds = ['fileScope', 'bypassPromotionBranch', 'taskReviewHybridTimeoutMinutes', 'referenceFiles', 'owner'];
    expect(kinds.map((name) => fields.get(name)?.kind)).toEqual(['texts', 'switch', 'number', 'json', 'text']);
    expect(kinds.some((name) => fields.get(name)?.isRequired)).toBe(false);
    expect(fields.get('expectedOutputKind')).toMatchObject({ kind: 'text', choices: [...OUTPUT_KINDS] });
  });

  it('leaves the names that say where the studio is to the program', () => {
    for (const operation of operationTable)
      for (const { name } of commandFields(operation)) expect(['at', 'store', 'json', 'help']).not.toContain(name);
  });

  it('comes to a request with path, query and body', () => {
    expect(commandRequest(find('repository.listFiles'), { repositoryId: 'a/b', pattern: '*.ts' })).toEqual({
      method: 'GET',
      path: '/studio/repositories/a%2Fb/files?pattern=*.ts',
      body: undefined,
      isTool: false,
    });
    expect(commandRequest(find('workunit.create'), { goal: 'x', fileScope: ['a', 'b'] })).toEqual({
      method: 'POST',
      path: '/studio/workunits',
      body: '{"goal":"x","fileScope":["a","b"]}',
      isTool: false,
    });
    expect(commandRequest(find('workunit.cancel'), { workUnitId: 'w' }).body).toBeUndefined();
  });

  it('comes to a call of its tool where it has no route', () => {
    const called = (id: string) => {
      const { path, body = '', isTool } = commandRequest(find(id), { goal: 'x' });
      const { params } = JSON.parse(body) as { params: unknown };
      return { path, params, isTool };
    };
    const given = { arguments: { goal: 'x' } };
    expect(called('workunit.update')).toEqual({
      path: '/mcp/internal',
      params: { name: 'svc_v1_workunit_update', ...given },
      isTool: true,
    });
    expect(called('external-result.recordFeedback')).toEqual({
      path: '/mcp',
      params: { name: 'svcs_v1_feedback_record', ...given },
      isTool: true,
    });
  });
});
