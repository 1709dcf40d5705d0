import { describe, expect, it } from 'vitest';
import { startTestStudio } from '../../testing/test-studio.js';

const PATH = '/studio/findings';
const refused = (status: number, code: string) => ({ status, json: { code } });
const given = { kind: 'KnowledgeGuideline', title: 'be brief', summary: 'long files are not read' };

interface Finding {
  readonly findingId: string;
}

describe('findings', () => {
  it('are imported once, listed by status, and reviewed in either spelling', async () => {
    const studio = await startTestStudio();
    const other = { ...given, kind: 'PromptImprovement', targetStage: 'Plan' };
    const bring = () => studio.call('POST', `${PATH}/import`, { body: { findings: [given, other, given] } });
    const first = (await bring()).json as { imported: Finding[]; skipped: number };
    expect(first).toMatchObject({ imported: [{ ...given, status: 'Open', source: 'Imported' }, other], skipped: 1 });
    expect((await bring()).json).toEqual({ imported: [], skipped: 3 });
    const [{ findingId: rule }, { findingId: prompt }] = first.imported as [Finding, Finding];
    const review = (id: string, body: object) => studio.call('POST', `${PATH}/${id}/review`, { body });
    const promoted = (await review(rule, { decision: 'promote', notes: 'yes' })).json;
    expect(promoted).toMatchObject({ status: 'Promoted', reviewNotes: 'yes' });
    const constraints = await studio.call('GET', '/studio/constraints');
    expect(constraints.json).toMatchObject([{ title: 'be brief', appliesToAllRepos: true }]);
    for (const [decision, status] of [
      ['Dismissed', 'Dismissed'],
      ['INVESTIGATING', 'Investigating'],
      ['dismiss', 'Dismissed'],
    ])
      expect((await review(prompt, { decision })).json).toMatchObject({ status });
    const listed = await studio.call('GET', `${PATH}?status=Dismissed`, { as: 'read' });
    expect(listed.json).toMatchObject([{ findingId: prompt }]);
    expect((await studio.call('GET', PATH)).json).toHaveLength(2);
  });

  it('are never reviewed to be open', async () => {
    const studio = await startTestStudio();
    const { json } = await studio.call('POST', `${PATH}/import`, { body: { findings: [given] } });
    const [{ findingId }] = (json as { imported: [Finding] }).imported;
    for (const decision of ['Open', 'constructor', ''])
      expect(await studio.call('POST', `${PATH}/${findingId}/review`, { body: { decision } })).toMatchObject(
        refused(400, 'reject.invalid_input'),
      );
    const none = await studio.call('POST', `${PATH}/none/review`, { body: { decision: 'promote' } });
    expect(none).toMatchObject(refused(404, 'reject.finding_not_found'));
    expect(await studio.call('GET', `${PATH}?status=Closed`)).toMatchObject(refused(400, 'reject.invalid_input'));
  });

  it('are detected, and nothing is found in nothing', async () => {
    const studio = await startTestStudio();
    expect((await studio.call('POST', '/studio/insights/detect-findings')).json).toEqual([]);
  });
});

describe('files that change together', () => {
  it('are those of one repository', async () => {
    const studio = await startTestStudio();
    for (const [method, path] of [
      ['GET', '/studio/comod'],
      ['POST', '/studio/comod/compute'],
    ] as const)
      expect(await studio.call(method, path)).toMatchObject(refused(400, 'reject.repository_needed'));
    expect(await studio.call('GET', '/studio/comod?repositoryId=none&minConfidence=0.5')).toMatchObject(
      refused(404, 'reject.repository_not_found'),
    );
  });
});
