import { expect, it } from 'vitest';
import { mergeProposal } from '../../record/aggregates/merge-proposal/merge-proposal.js';
import { approve } from './review.js';
import { recordProposal } from '../../testing/work/proposal.js';
import { recording } from '../../testing/record/recording.js';
import { settleLanded } from './settle-landed.js';

it('fault 23: proposals that bring each other together in a circle end with the one that lands', () => {
  const { records, change } = recording();
  for (const [one, other] of [
    ['MP-1', 'MP-2'],
    ['MP-2', 'MP-3'],
    ['MP-3', 'MP-1'],
  ] as const)
    change((open) => recordProposal(open, one, { reconciledFrom: [other] }));
  change((open) => approve(open, 'MP-1', { by: 'ann', automated: false, consideredArtifactIds: [] }));
  const landing = { targetBranch: 'main', from: '1'.repeat(40), to: '2'.repeat(40), hostId: 'host-1' };
  change((open) => open.run(mergeProposal, 'MP-1', 'begin', landing));
  change((open) => settleLanded(open, records, open.run(mergeProposal, 'MP-1', 'land', { onDisk: true })));
  expect(records.proposals.get('MP-1')).toMatchObject({ status: 'Merged' });
  for (const id of ['MP-2', 'MP-3'])
    expect(records.proposals.get(id)).toMatchObject({ status: 'Superseded', supersededBy: 'MP-1' });
});
