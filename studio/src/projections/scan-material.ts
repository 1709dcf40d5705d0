/**
 * Scan material: what a model reads to find findings, that is what happened in the words of those who were there, and what is
 * known already.
 */
import { runRetrospective } from './comparison.js';
import { shrink } from './shrink.js';
import type { Sources } from './sources.js';

/** Scan material as text, without what is private to this host; newest first, because the end is cut off. */
export function scanMaterial(sources: Sources): string {
  const { records, proposals } = sources;
  const { data } = shrink(
    {
      inNumbers: runRetrospective(sources, {}),
      failures: records.deadLetters
        .all()
        .map(({ kind, reason, stage }) => ({ kind, reason, stage }))
        .reverse(),
      reviews: proposals
        .all()
        .flatMap(({ summary, status, reviewNotes }) =>
          reviewNotes === undefined ? [] : [{ summary, status, reviewNotes }],
        )
        .reverse(),
      questions: records.clarifications
        .all()
        .map(({ question }) => question)
        .reverse(),
      rules: records.artifacts.where('unowned', 'Constraint').map(({ title, body }) => ({ title, body })),
      foundBefore: records.findings.all().map(({ title, status }) => ({ title, status })),
    },
    'Normal',
  );
  return JSON.stringify(data);
}
