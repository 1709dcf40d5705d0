/** Scan by a model: it reads the record of work and reports what it teaches. Findings are proposals that people review. */
import { z } from 'zod';
import { FINDING_KINDS } from '../record/aggregates/finding/finding.js';
import { STAGES } from '../record/aggregates/work-unit/events.js';
import { askForJson } from './ask-for-json.js';
import type { Provider } from './provider.js';
import scan from './roles/scan.md';

const Found = z.object({
  kind: z.enum(FINDING_KINDS),
  title: z.string().min(1).max(300),
  summary: z.string().min(1).max(10_000),
  targetStage: z
    .enum(STAGES)
    .nullish()
    .transform((stage) => stage ?? undefined),
});
const Answer = z.object({ findings: z.array(Found).max(50) });

export interface Scan {
  readonly findings: readonly z.output<typeof Found>[];
  /** The whole reply. */
  readonly text: string;
}

export async function llmScan(provider: Provider, model: string, material: string, signal: AbortSignal): Promise<Scan> {
  const request = {
    model,
    system: scan.trim(),
    maxTokens: 8192,
    messages: [{ role: 'user' as const, text: `<record>\n${material}\n</record>` }],
    about: { role: 'scan' },
  };
  const { answer, text } = await askForJson(provider, request, Answer, { signal });
  return { findings: answer.findings, text };
}
