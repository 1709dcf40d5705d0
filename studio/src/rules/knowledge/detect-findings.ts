/** Finding detection by rules, without a model: the same record always gives the same findings. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { FindingGiven } from '../../record/aggregates/finding/finding.js';
import type { CoModification } from './co-modification.js';
import { kindOf } from './timeline.js';

/** Least number of cases; less may be chance. */
const OFTEN = 3;
const SURE = 0.75;

/** Event fields that the rules read. */
const Failed = z.object({
  workUnitId: z.string(),
  newStatus: z.enum(['Failed', 'DeadLettered', 'Retrying']),
  reason: z.string().min(1),
});
const Rejected = z.object({ proposalId: z.string(), reason: z.string().min(1) });
const Contended = z.object({
  path: z.string(),
  requestingWorkUnitId: z.string(),
});

const LOOKED_AT: readonly string[] = ['WorkUnitStatusChanged', 'ProposalRejected', 'FileLeaseContended'];

/** Filter: whether any rule reads the event. */
export function isLookedAt(event: unknown): boolean {
  return LOOKED_AT.includes(kindOf(event));
}

export function detectFindings(events: Iterable<unknown>, pairs: readonly CoModification[]): FindingGiven[] {
  const failures = new Tally();
  const rejections = new Tally();
  const contentions = new Tally();
  for (const event of events) {
    switch (kindOf(event)) {
      case 'WorkUnitStatusChanged': {
        const { reason, workUnitId } = Failed.safeParse(event).data ?? {};
        if (reason !== undefined && workUnitId !== undefined) failures.add(sameness(reason), workUnitId, reason);
        break;
      }
      case 'ProposalRejected': {
        const { reason, proposalId } = Rejected.safeParse(event).data ?? {};
        if (reason !== undefined && proposalId !== undefined) rejections.add(sameness(reason), proposalId, reason);
        break;
      }
      case 'FileLeaseContended': {
        const { path, requestingWorkUnitId: waiting } = Contended.safeParse(event).data ?? {};
        if (path !== undefined && waiting !== undefined) contentions.add(path, waiting, path);
        break;
      }
    }
  }
  return [
    ...failures.often().map(({ subject, example, cases }) =>
      found('failure', subject, {
        kind: 'KnowledgeGuideline',
        title: `Work fails again and again: ${inShort(example)}`,
        summary: `${cases.length} work units failed for this reason: ${example}`,
        support: { workUnitIds: cases },
      }),
    ),
    ...rejections.often().map(({ subject, example, cases }) =>
      found('rejection', subject, {
        kind: 'PromptImprovement',
        targetStage: 'Execute',
        title: `Proposals are rejected again and again: ${inShort(example)}`,
        summary: `${cases.length} proposals were rejected for this reason; say so before work begins: ${example}`,
        support: { proposalIds: cases },
      }),
    ),
    ...contentions.often().map(({ subject, cases }) =>
      found('contention', subject, {
        kind: 'PromptImprovement',
        targetStage: 'Plan',
        title: `Parts of plans collide at ${subject}`,
        summary: `${cases.length} work units had to wait for ${subject}; give it to one slice, or put the slices in order.`,
        support: { workUnitIds: cases },
      }),
    ),
    ...pairs
      .filter(({ support, confidence }) => support >= OFTEN && confidence >= SURE)
      .map(({ pathA, pathB, support, confidence }) =>
        found('co-modification', `${pathA}\n${pathB}`, {
          kind: 'KnowledgeGuideline',
          title: `${pathA} and ${pathB} change together`,
          summary: `Whoever changes ${pathA} should look at ${pathB}, and the other way round.`,
          support: { pathA, pathB, support, confidence },
        }),
      ),
  ];
}

/** Deterministic id of a finding, whichever host finds it. */
export function findingIdOf(...identity: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
  return `finding-${digest.slice(0, 32)}`;
}

type Found = Pick<FindingGiven, 'kind' | 'title' | 'summary' | 'targetStage'> & { readonly support: object };

function found(rule: string, subject: string, { support, ...said }: Found): FindingGiven {
  const findingId = findingIdOf(rule, subject);
  return { findingId, source: 'Deterministic', ...said, supportingDataJson: JSON.stringify(support) };
}

/** Distinct count: different cases of each subject. */
class Tally {
  readonly #subjects = new Map<string, { example: string; cases: Set<string> }>();

  add(subject: string, oneCase: string, example: string): void {
    const known = this.#subjects.get(subject) ?? { example, cases: new Set() };
    known.cases.add(oneCase);
    this.#subjects.set(subject, known);
  }

  often(): { subject: string; example: string; cases: string[] }[] {
    return [...this.#subjects].flatMap(([subject, { example, cases }]) =>
      cases.size < OFTEN ? [] : [{ subject, example, cases: [...cases] }],
    );
  }
}

/** Normalization: texts that differ only in numbers, ids and spaces are equal. */
function sameness(text: string): string {
  const plain = text.toLowerCase().replace(/\b[0-9a-f]{8,}\b|\d+/g, '#');
  return plain.replace(/\s+/g, ' ').trim().slice(0, 300);
}

function inShort(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= 120 ? line : `${line.slice(0, 119)}…`;
}
