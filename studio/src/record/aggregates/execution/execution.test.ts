import { describe, expect, it } from 'vitest';
import { stateOf } from '../../../testing/record/given.js';
import { recording } from '../../../testing/record/recording.js';
import { execution } from './execution.js';

const given = { resultId: 'exec/b/1', branchId: 'b', repositoryId: 'r', commit: 'c', hostId: 'host-1' };
const step = {
  ...({ kind: 'Build', projectRoot: '.', command: 'make', startedAt: 'then', exitCode: 0 } as const),
  stdOut: '',
  stdErr: '',
  truncated: false,
};

function begun() {
  const { change, records } = recording();
  const run = (name: 'start' | 'write' | 'endStep' | 'end' | 'interrupt', input: object) =>
    change((open) => open.run(execution, given.resultId, name, input as never));
  run('start', given);
  return { run, records };
}

describe('an execution', () => {
  it('has the steps that have ended, in their order, and ends once', () => {
    const { run, records } = begun();
    run('write', { text: 'one' });
    run('endStep', { step });
    run('endStep', { step: { ...step, kind: 'Test', exitCode: 1 } });
    expect(run('end', {})).toMatchObject({
      status: 'ended',
      steps: [{ kind: 'Build' }, { kind: 'Test', exitCode: 1 }],
    });
    const version = records.executions.version(given.resultId);
    for (const name of ['end', 'interrupt'] as const) run(name, {});
    run('endStep', { step });
    expect(records.executions.version(given.resultId)).toBe(version);
    expect(() => run('start', given)).toThrow('has begun already');
  });

  it('fault 9: of the oldest version ran on the only host there was; later ones say where', () => {
    const { hostId, ...older } = given;
    const started = { type: 'ExecutionStarted', v: 1, ...older } as const;
    expect(stateOf(execution, [started])).not.toHaveProperty('hostId');
    expect(stateOf(execution, [{ ...started, v: 2, hostId }])).toMatchObject({ hostId });
  });

  it('is interrupted when the host ends under it', () => {
    const { run } = begun();
    expect(run('interrupt', {})).toMatchObject({ status: 'interrupted', steps: [] });
  });
});
