/** Idempotency record: the answer to a request with a key. A repeated request gets the same answer, and nothing happens twice. */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

export interface AnsweredCommand {
  readonly operation: string;
  /** SHA-256 of the input. */
  readonly input: string;
  readonly answer: unknown;
}

const event = z.object({
  type: z.literal('CommandAnswered'),
  v: z.literal(1),
  operation: z.string(),
  input: z.string(),
  answer: z.unknown(),
});

/** Idempotency records of one room, because an answer is stored with what it answers. */
const commandIn = (room: 'workgroup' | 'local') =>
  aggregate<AnsweredCommand>()({
    name: room === 'local' ? 'local-command' : 'command',
    room,
    quiet: true,
    event,
    evolve: (_state, { operation, input, answer }) => ({ operation, input, answer }),
    decide: {
      answer: (_state, answered: AnsweredCommand) => [{ type: 'CommandAnswered', v: 1, ...answered }] as const,
    },
  });

export const command = commandIn('workgroup');
export const localCommand = commandIn('local');
