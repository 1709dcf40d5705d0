import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listedProposals, proposal } from '../../testing/work/proposal.js';
import { recording } from '../../testing/record/recording.js';
import { coModifications, touchedFiles } from './co-modification.js';
import { detectFindings } from './detect-findings.js';
import { promptGuidance, reportFindings, reviewFinding } from './findings.js';

const failed = (workUnitId: string, reason: string) => ({
  type: 'WorkUnitStatusChanged',
  v: 1,
  workUnitId,
  previousStatus: 'Executing',
  newStatus: 'DeadLettered',
  reason,
});
const rejected = (proposalId: string, reason: string) => ({ type: 'ProposalRejected', proposalId, reason });
const contended = (path: string, requestingWorkUnitId: string) => ({
  type: 'FileLeaseContended',
  path,
  requestingWorkUnitId,
  holderWorkUnitId: 'wu-0',
});

describe('the rules', () => {
  it('find what failed often for one reason, whatever its numbers', () => {
    const events = [failed('wu-1', 'exit 1 after 20 s'), failed('wu-2', 'Exit 7 after  3 s'), failed('wu-3', 'other')];
    expect(detectFindings(events, [])).toEqual([]);
    // One unit twice proves nothing more.
    expect(detectFindings([...events, failed('wu-2', 'exit 2 after 1 s')], [])).toEqual([]);
    expect(detectFindings([...events, failed('wu-4', 'exit 9 after 9 s')], [])).toMatchObject([
      {
        kind: 'KnowledgeGuideline',
        source: 'Deterministic',
        supportingDataJson: '{"workUnitIds":["wu-1","wu-2","wu-4"]}',
        title: 'Work fails again and again: exit 1 after 20 s',
      },
    ]);
  });

  it('find what reviews reject and where units wait for each other', () => {
    const events = ['1', '2', '3'].flatMap((n) => [rejected(`MP-${n}`, 'no test'), contended('src/a.ts', `wu-${n}`)]);
    expect(detectFindings(events, [])).toMatchObject([
      {
        kind: 'PromptImprovement',
        targetStage: 'Execute',
        supportingDataJson: '{"proposalIds":["MP-1","MP-2","MP-3"]}',
      },
      { kind: 'PromptImprovement', targetStage: 'Plan', title: 'Parts of plans collide at src/a.ts' },
    ]);
  });

  it('find files that change together', () => {
    const pair = { pathA: 'a', pathB: 'b', support: 3, confidence: 0.75 };
    expect(detectFindings([], [pair])).toMatchObject([
      { kind: 'KnowledgeGuideline', title: 'a and b change together' },
    ]);
    expect(detectFindings([], [{ ...pair, support: 2 }])).toEqual([]);
    expect(detectFindings([], [{ ...pair, confidence: 0.7 }])).toEqual([]);
  });

  it('find the same under the same id, in whatever order it happened', () => {
    const events = ['1', '2', '3', '4'].flatMap((n) => [failed(`wu-${n}`, `exit ${n}`), contended('x', `wu-${n}`)]);
    const ids = (all: readonly object[]) =>
      detectFindings(all, [])
        .map(({ findingId }) => findingId)
        .toSorted();
    fc.assert(
      fc.property(fc.shuffledSubarray(events, { minLength: events.length }), (shuffled) => {
        expect(ids(shuffled)).toEqual(ids(events));
      }),
    );
  });
});

describe('files that change together', () => {
  it('are counted by work unit, and a change of very many says nothing', () => {
    const proposals = listedProposals([
      proposal({ proposalId: 'MP-1', workUnitId: 'wu-1', filesTouched: ['a', 'b'] }),
      proposal({ proposalId: 'MP-2', workUnitId: 'wu-1', filesTouched: ['b', 'c'] }),
      proposal({ proposalId: 'MP-3', workUnitId: 'wu-2', filesTouched: ['b', 'a'] }),
      proposal({ proposalId: 'MP-4', workUnitId: 'wu-3', filesTouched: ['b'] }),
      proposal({ proposalId: 'MP-5', workUnitId: 'wu-x', filesTouched: ['b', 'a'] }),
    ]);
    const touched = touchedFiles(proposals, (id) => id !== 'wu-x');
    expect(touched).toEqual([['a', 'b', 'c'], ['b', 'a'], ['b']]);
    const pair = { pathA: 'a', pathB: 'b', support: 2, confidence: 2 / 3 };
    expect(coModifications(touched)).toEqual([pair]);
    const many = Array.from({ length: 51 }, (_, i) => `f${i}`);
    expect(coModifications([...touched, many, many])).toEqual([pair]);
    const later = Array.from({ length: 1000 }, () => ['z']);
    expect(coModifications([...touched, ...later])).toEqual([]);
  });

  it('are pairs of what was touched, each once, with confidence up to 1', () => {
    const files = fc.array(fc.constantFrom<string>('a', 'b', 'c', 'd', 'e'), { maxLength: 6 });
    fc.assert(
      fc.property(fc.array(files, { maxLength: 12 }), (changes) => {
        const pairs = coModifications(changes);
        for (const { pathA, pathB, support, confidence } of pairs) {
          const both = changes.filter((one) => one.includes(pathA) && one.includes(pathB)).length;
          const either = [pathA, pathB].map((path) => changes.filter((one) => one.includes(path)).length);
          expect([pathA < pathB, support, confidence]).toEqual([true, both, both / Math.max(...either)]);
        }
        expect(new Set(pairs.map(({ pathA, pathB }) => `${pathA} ${pathB}`)).size).toBe(pairs.length);
      }),
    );
  });
});

describe('a finding', () => {
  const guideline = { findingId: 'finding-1', kind: 'KnowledgeGuideline', source: 'Imported' } as const;
  const said = { title: 'be brief', summary: 'long files are not read' };

  it('is reported once, whatever became of it', () => {
    const { records, change } = recording();
    const report = () => change((open) => reportFindings(open, [{ ...guideline, ...said }]));
    expect(report()).toMatchObject([{ status: 'Open' }]);
    change((open) => reviewFinding(open, records, 'finding-1', { decision: 'Dismissed' }));
    expect(report()).toEqual([]);
    expect(records.findings.get('finding-1')).toMatchObject({ status: 'Dismissed' });
  });

  it('becomes one rule, however often it is promoted', () => {
    const { records, change } = recording();
    change((open) => reportFindings(open, [{ ...guideline, ...said }]));
    for (const decision of ['Promoted', 'Promoted', 'Investigating', 'Promoted'] as const)
      change((open) => reviewFinding(open, records, 'finding-1', { decision }));
    const [rule, ...others] = records.artifacts.all();
    expect(others).toEqual([]);
    expect(rule).toMatchObject({ type: 'Constraint', title: 'be brief', body: said.summary, reach: 'Workgroup' });
    expect(records.findings.get('finding-1')).toMatchObject({
      status: 'Promoted',
      promotedArtifactId: rule!.artifactId,
    });
  });

  it('of a prompt becomes guidance for its stage', () => {
    const { records, change } = recording();
    const prompt = { findingId: 'f', kind: 'PromptImprovement', source: 'Imported', targetStage: 'Plan' } as const;
    change((open) => reportFindings(open, [{ ...prompt, ...said }]));
    expect(promptGuidance(records, 'Plan')).toEqual([]);
    change((open) => reviewFinding(open, records, 'f', { decision: 'Promoted' }));
    expect(promptGuidance(records, 'Plan')).toEqual(['be brief\nlong files are not read']);
    expect(promptGuidance(records, 'Execute')).toEqual([]);
    expect(records.artifacts.all()).toEqual([]);
  });
});
