/** Looking into a room through the embedding API. */
import { z } from 'zod';
import { Hex } from '../wire/scalars.js';
import { hostCommand } from './define.js';

export const getFrontier = hostCommand({
  variant: 'GetFrontier',
  event: 'FrontierQueried',
  summary: 'The heads of the room: nodes without known successors.',
  in: z.object({}),
  out: z.object({ frontier_heads_hex: z.array(Hex) }),
}).run(({ tenancy }) => ({ frontier_heads_hex: [...tenancy.room.heads.frontier] }));
