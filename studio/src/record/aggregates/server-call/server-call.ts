/**
 * Call of a tool of a server, recorded before it is made. A call that has begun and has no answer is not made again: nobody knows
 * whether it was done.
 */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

const event = z.object({
  type: z.literal('ServerCallBegun'),
  v: z.literal(1),
  server: z.string(),
  tool: z.string(),
  agentId: z.string(),
  workUnitId: z.string(),
});

export type ServerCall = Omit<z.infer<typeof event>, 'type' | 'v'>;

export const serverCall = aggregate<ServerCall>()({
  name: 'server-call',
  room: 'local',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  evolve: (_state, { server, tool, agentId, workUnitId }) => ({ server, tool, agentId, workUnitId }),
  decide: {
    begin: (_state, call: ServerCall) => [{ type: 'ServerCallBegun', v: 1, ...call }] as const,
  },
});
