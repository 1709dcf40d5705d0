import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ARTIFACT_STATUSES } from '../record/aggregates/artifact/events.js';
import { isInForce } from '../record/aggregates/artifact/state.js';
import { type Delta, type Sighting, deltaOf } from './delta.js';

const sighting: fc.Arbitrary<Sighting> = fc.record({
  artifacts: fc.uniqueArray(
    fc.record({ artifactId: fc.constantFrom('a', 'b', 'c', 'd'), status: fc.constantFrom(...ARTIFACT_STATUSES) }),
    { selector: ({ artifactId }) => artifactId },
  ),
  completedTaskIds: fc.subarray(['t1', 't2']),
});

const isNothing = (delta: Delta): boolean =>
  Object.values(delta).every((part: readonly unknown[]) => part.length === 0);

describe('what changed between two looks', () => {
  it('is nothing exactly when both show the same', () => {
    const same = (one: Sighting): unknown => [
      one.artifacts.map(({ artifactId, status }) => `${artifactId} ${status}`).toSorted(),
      one.completedTaskIds.toSorted(),
    ];
    fc.assert(
      fc.property(sighting, sighting, (before, after) => {
        expect(isNothing(deltaOf(before, before))).toBe(true);
        const isSame = JSON.stringify(same(before)) === JSON.stringify(same(after));
        // A task that is open again is nothing that was brought about.
        const reopened = before.completedTaskIds.some((id) => !after.completedTaskIds.includes(id));
        if (!reopened) expect(isNothing(deltaOf(before, after))).toBe(isSame);
      }),
    );
  });

  it('names what came, what went, and what is otherwise', () => {
    fc.assert(
      fc.property(sighting, sighting, (before, after) => {
        const { added, removed, statusChanged } = deltaOf(before, after);
        const was = new Map(before.artifacts.map(({ artifactId, status }) => [artifactId, status]));
        for (const { artifactId, status } of after.artifacts) {
          expect(added.includes(artifactId)).toBe(!was.has(artifactId));
          const changed = was.has(artifactId) && was.get(artifactId) !== status;
          expect(statusChanged.some((one) => one.artifactId === artifactId)).toBe(changed);
          expect(removed.includes(artifactId)).toBe(changed && !isInForce({ status }));
        }
      }),
    );
  });
});
