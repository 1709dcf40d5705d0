/** Shape of a turn of an agent, as callers see it. */
import { z } from 'zod';
import type { Records } from '../../record/views/records.js';

export const ConversationLogEntry = z
  .object({
    logId: z.string().describe('Id of the cycle.'),
    workUnitId: z.string().describe('Work unit that it is about.'),
    agentId: z.string().describe('Agent that went through it.'),
    agentRole: z.string().describe('What the agent is.'),
    taskId: z.string().optional().describe('Task that it was for.'),
    cycleNumber: z.number().describe('Number of the cycle within the run.'),
    systemText: z
      .string()
      .optional()
      .describe('Role that the conversation began with. Absent where it is that of before.'),
    roleVersion: z.string().optional().describe('Version of that role.'),
    said: z.string().optional().describe('What the agent was told before it answered.'),
    notice: z.string().optional().describe('What the host told it about its work itself.'),
    compacted: z.string().optional().describe('Beginning that took the place of all that was said before.'),
    assistantText: z.string().optional().describe('What the model said.'),
    toolCalls: z
      .array(
        z.object({
          toolUseId: z.string().describe('Id of the call.'),
          name: z.string().describe('Tool that was called.'),
          inputJson: z.string().describe('With what, as JSON.'),
        }),
      )
      .describe('Tools that were called.'),
    toolResults: z
      .array(
        z.object({
          toolUseId: z.string().describe('Id of the call.'),
          result: z.string().describe('What the tool answered.'),
          truncated: z.boolean().describe('Whether that was cut off.'),
          isError: z.boolean().optional().describe('Whether the tool refused or failed.'),
        }),
      )
      .describe('What they answered.'),
    stopReason: z.string().optional().describe('Why the model stopped.'),
    refusal: z.string().optional().describe('Why it refuses, as the vendor says.'),
    cutIn: z.string().optional().describe('Tool in a call of which the answer was cut.'),
    occurredAt: z.string().describe('When, ISO 8601.'),
    inputTokens: z.number().optional().describe('Tokens that the model read.'),
    outputTokens: z.number().optional().describe('Tokens that it wrote.'),
    provider: z.string().optional().describe('Provider of the model.'),
    model: z.string().optional().describe('Name of the model.'),
    sessionId: z.string().optional().describe('Session that it happened in.'),
  })
  .meta({ id: 'ConversationLogEntry', description: "One cycle of an agent's talk with its model." });

/** Turns of a unit's agents, as its log shows them. */
export function turnsOf(records: Records, workUnitId: string) {
  return records.conversationEntries.where('workUnit', workUnitId).map(({ frame, compaction, cut, ...entry }) => ({
    ...entry,
    ...(frame && { systemText: frame.system }),
    ...(frame?.roleVersion === undefined ? {} : { roleVersion: frame.roleVersion }),
    ...(compaction && { compacted: [compaction.text, compaction.notes ?? []].flat().join('\n\n') }),
    ...(cut && { cutIn: cut.tool }),
  }));
}
