import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decided, stateOf } from '../../../testing/record/given.js';
import { type FileLeaseEvent, fileLease, normalisedPath } from './file-lease.js';

const file = { goalId: 'g', path: 'a.ts' };
const UNITS = ['w1', 'w2', 'w3', 'w4'];

describe('a file lease', () => {
  it('is held by the first, and passed on in the order in which the others asked', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...UNITS), fc.boolean()), { maxLength: 40 }), (steps) => {
        let events: readonly FileLeaseEvent[] = [];
        let line: string[] = [];
        for (const [workUnitId, asks] of steps) {
          events = [
            ...events,
            ...(asks
              ? decided(fileLease, events, 'ask', { ...file, workUnitId })
              : decided(fileLease, events, 'release', { workUnitId })),
          ];
          if (!asks) line = line.filter((id) => id !== workUnitId);
          else if (!line.includes(workUnitId)) line = [...line, workUnitId];
          const { holderWorkUnitId, waitQueue = [] } = stateOf(fileLease, events) ?? {};
          expect(holderWorkUnitId === undefined ? waitQueue : [holderWorkUnitId, ...waitQueue]).toEqual(line);
        }
      }),
    );
  });

  it('tells who waited for whom', () => {
    const held = decided(fileLease, [], 'ask', { ...file, workUnitId: 'w1' });
    expect(decided(fileLease, held, 'ask', { ...file, workUnitId: 'w2' })).toEqual([
      { type: 'FileLeaseContended', v: 1, ...file, requestingWorkUnitId: 'w2', holderWorkUnitId: 'w1' },
    ]);
  });

  it('is of one file, however its path is written', () => {
    for (const path of ['src/a.ts', './src/a.ts', 'SRC//A.ts', 'src\\a.ts', 'src/b/../a.ts', '/src/a.ts'])
      expect(normalisedPath(path), path).toBe('src/a.ts');
    for (const path of ['', '.', '..', '../a.ts', 'src/../../a.ts']) expect(normalisedPath(path), path).toBeUndefined();
  });
});
