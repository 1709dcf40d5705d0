import { describe, expect, it } from 'vitest';
import { CALLS } from './calls.js';
import { requestOf } from './request.js';

const request = (id: string, input: object) => requestOf(CALLS[id]!, { ...input });

describe('the request of an operation', () => {
  it('has path, query and body', () => {
    expect(request('repository.listFiles', { repositoryId: 'a/b', pattern: '*.ts' })).toEqual({
      method: 'GET',
      path: '/studio/repositories/a%2Fb/files?pattern=*.ts',
      body: undefined,
      isTool: false,
    });
    expect(request('workunit.create', { goal: 'x', fileScope: ['a', 'b'] })).toEqual({
      method: 'POST',
      path: '/studio/workunits',
      body: '{"goal":"x","fileScope":["a","b"]}',
      isTool: false,
    });
    expect(request('workunit.cancel', { workUnitId: 'w' }).body).toBeUndefined();
  });

  it('is a call of its tool where it has no route', () => {
    const called = (id: string) => {
      const { path, body = '', isTool } = request(id, { goal: 'x' });
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
