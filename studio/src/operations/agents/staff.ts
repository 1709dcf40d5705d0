/** Staff: observers of a domain, and executors of agents. */
import { z } from 'zod';
import type { Abilities } from '../../models/executor.js';
import { DOMAIN_AGENTS, EXECUTORS } from '../../rules/queue/staff.js';
import { operation } from '../kernel/define.js';
import { READS } from '../kernel/hints.js';

export const domainAgents = operation({
  summary: 'List the observers that can look at what is recorded, each of one domain.',
  scope: 'read',
  in: z.object({}),
  out: z.array(
    z.object({
      name: z.string().describe('Name of the observer.'),
      titlePrefix: z.string().describe('What the title of all that it records begins with.'),
      keywords: z.array(z.string()).describe('Words that make it look.'),
    }),
  ),
  rest: { route: 'GET /studio/domain-agents' },
  list: 'name',
  refuses: [],
  annotations: READS,
}).run(() => DOMAIN_AGENTS.map(({ keywords, ...one }) => ({ ...one, keywords: [...keywords] })));

export const executors = operation({
  summary: 'List what can run agents.',
  scope: 'read',
  in: z.object({}),
  out: z.array(
    z.object({
      name: z.string().describe('Name of the executor.'),
      providerKey: z.string().nullable().describe('Provider that selects it, or null.'),
      displayName: z.string().describe('Name for people.'),
      capabilities: z
        .object({
          turnTelemetry: z.boolean().describe('Whether it tells of each turn.'),
          resume: z.boolean().describe('Whether it goes on with an earlier conversation.'),
          hooks: z.boolean().describe('Whether it asks before it uses a tool.'),
          subAgents: z.boolean().describe('Whether it takes on agents of its own.'),
          mcp: z.boolean().describe('Whether it takes tools over MCP.'),
          planningMode: z.boolean().describe('Whether it plans without writing.'),
        })
        .describe('What it does, as this host runs it. All false: it cannot be started here.'),
    }),
  ),
  rest: { route: 'GET /studio/executors' },
  list: 'name',
  refuses: [],
  annotations: READS,
}).run(({ models }) =>
  EXECUTORS.map((one) => ({
    ...one,
    capabilities: one.providerKey === null ? OWN_LOOP : models.abilities(one.providerKey),
  })),
);

/** Abilities of the loop of this host: its planner has no tool that writes, and what it plans is given to agents below it. */
const OWN_LOOP: Abilities = {
  turnTelemetry: true,
  resume: true,
  hooks: true,
  subAgents: true,
  mcp: true,
  planningMode: true,
};
