import { describe, expect, it } from 'vitest';
import { OUTPUT_KINDS } from '../../record/aggregates/work-unit/events.js';
import { operationTable } from '../../operations/table.js';
import { commandCall, commandFields, commandWords } from './command-line.js';

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

  it('is called by its route, or as a tool where it has none', () => {
    expect(commandCall(find('repository.listFiles'))).toMatchObject({
      scope: 'read',
      method: 'GET',
      path: '/studio/repositories/{repositoryId}/files',
      query: expect.arrayContaining(['pattern']),
      body: [],
    });
    expect(commandCall(find('workunit.create'))).toMatchObject({
      method: 'POST',
      path: '/studio/workunits',
      body: expect.arrayContaining(['goal', 'fileScope']),
    });
    expect(commandCall(find('workunit.update'))).toEqual({
      scope: 'admin',
      tool: 'svc_v1_workunit_update',
      door: '/mcp/internal',
    });
    expect(commandCall(find('external-result.recordFeedback'))).toEqual({
      scope: find('external-result.recordFeedback').scope,
      tool: 'svcs_v1_feedback_record',
      door: '/mcp',
    });
  });
});
