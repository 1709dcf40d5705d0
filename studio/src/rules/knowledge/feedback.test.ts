import { expect, it } from 'vitest';
import { recording } from '../../testing/record/recording.js';
import { createUnit } from '../goals/create-unit.js';
import { recordArtifact } from './artifacts.js';
import { noteConsidered, noteSurfaced, ofOthers } from './feedback.js';

it('artifacts keep to whom they were shown and where they counted, unless they are private', () => {
  const { records, change } = recording();
  const { workUnitId } = change((open) => createUnit(open, records, { goal: 'g', owner: 'ann' }));
  const rule = { type: 'Constraint', title: 't', agentId: 'a-2' } as const;
  const [mine, other, wide] = change((open) => [
    recordArtifact(open, records, { ...rule, type: 'Research', workUnitId, agentId: 'a-1' }),
    recordArtifact(open, records, { ...rule, type: 'Research', workUnitId }),
    recordArtifact(open, records, rule),
  ]);
  const secret = change((open) => recordArtifact(open, records, { ...rule, reach: 'Private' }));
  const shown = ofOthers(records, workUnitId, 'a-1');
  expect(shown).toEqual([other, wide]);
  expect(shown).not.toContain(mine);
  change((open) => noteSurfaced(open, shown, { surfacedToAgentId: 'a-1', projectionType: 'AgentWorkspace' }));
  const ids = [other.artifactId, secret.artifactId];
  change((open) => noteConsidered(open, records, ids, { proposalId: 'MP-1', decision: 'Approved' }));
  expect(records.artifactFeedback.all()).toMatchObject([
    { artifactId: other.artifactId, workUnitId, surfaced: [{}], consideredIn: [{ proposalId: 'MP-1' }] },
    { artifactId: wide.artifactId, surfaced: [{ surfacedToAgentId: 'a-1' }], consideredIn: [] },
  ]);
  const unknown = () =>
    change((open) => noteConsidered(open, records, ['none'], { proposalId: 'MP-1', decision: 'x' }));
  expect(unknown).toThrow('no artifact is called none');
});
