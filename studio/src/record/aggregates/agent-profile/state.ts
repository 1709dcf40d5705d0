/** State of a profile: what an agent of some kind is told, may use, and how long it may go on. */
import { z } from 'zod';

export const PIPELINE_STAGES = ['Orchestrate', 'Plan', 'Execute', 'Review', 'Merge', 'Reconcile'] as const;

export const profileFields = z.object({
  name: z.string(),
  stage: z.enum(PIPELINE_STAGES),
  systemPrompt: z.string(),
  /** What they are told in place of it in some repositories. */
  roles: z.array(z.object({ repositoryId: z.string(), systemPrompt: z.string() })).optional(),
  allowedTools: z.array(z.string()),
  maxIterations: z.number(),
  fileScopePatterns: z.array(z.string()),
  executor: z.string().optional(),
  injectApiKeyEnv: z.boolean(),
});

export type ProfileFields = z.infer<typeof profileFields>;

export interface AgentProfile extends ProfileFields {
  readonly agentProfileId: string;
}
