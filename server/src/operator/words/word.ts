/**
 * A word is what an operator says to a server: one constant with noun, verb, schemas and handler. The command line, the control
 * socket, the administration door and its OpenAPI document walk the table and know no word by name.
 */
import { Rejection } from '@weft/core';
import * as z from 'zod';
import { AnyRoom, Room } from '../room-id.js';
import { type Operation, type OperatorContext, OperatorError, operation } from '../define.js';

export interface Word extends Operation<Record<string, unknown>, object> {
  readonly noun: 'room' | 'session' | 'webhook' | 'authority';
  readonly verb: string;
  readonly summary: string;
  readonly in: z.ZodObject;
  readonly out: z.ZodObject;
  /** Whether it changes something: then the log says that it was done. */
  readonly changes: boolean;
  /** Marks an answer that is for a program: people are shown it as it is. */
  readonly isForPrograms?: true;
}

interface Declaration<In extends z.ZodObject, Out extends z.ZodObject> extends Pick<
  Word,
  'noun' | 'verb' | 'summary' | 'changes' | 'isForPrograms'
> {
  readonly in: In;
  readonly out: Out;
  readonly everywhere?: (answers: readonly z.input<Out>[]) => z.input<Out>;
  readonly isOfWebhooks?: true;
  run(context: OperatorContext, input: z.output<In>): Promise<z.input<Out>>;
}

export function word<In extends z.ZodObject, Out extends z.ZodObject>(declared: Declaration<In, Out>) {
  const { noun, verb, summary, changes, isForPrograms, everywhere, isOfWebhooks, out } = declared;
  const name = `${noun}-${verb}`;
  const done = operation({
    name,
    in: declared.in,
    ...(isOfWebhooks ? { isOfWebhooks } : {}),
    ...(everywhere === undefined
      ? {}
      : { everywhere: (answers) => everywhere(answers.map((answer) => answer as z.input<Out>)) }),
    async run(context, input: z.output<In>): Promise<z.input<Out>> {
      const answer = await declared.run(context, input).catch((error: unknown) => {
        throw error instanceof Rejection ? new OperatorError(error.message) : error;
      });
      if (changes) {
        const room: unknown = new Map<string, unknown>(Object.entries(input)).get('room');
        const where = typeof room === 'string' ? { room } : {};
        context.telemetry?.tell?.({
          level: 'info',
          message: 'an operator acted',
          about: { operation: name, ...where },
        });
      }
      return answer;
    },
  });
  const forWhom = isForPrograms ? { isForPrograms } : {};
  return { ...done, ...forWhom, noun, verb, summary, changes, in: declared.in, out };
}

/** Field for the room that a word is about: one that peers may enter, or one of the host itself too. */
export const OneRoom = z.object({ room: Room.describe('Id of the room.') });
export const AnyOneRoom = z.object({ room: AnyRoom.describe('Id of the room; of one of the host itself too.') });

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** A time as people write it, `30d`; seconds inside. */
export const Duration = z
  .string()
  .regex(/^[1-9][0-9]{0,8}[smhd]$/, 'takes a number with s, m, h or d: 1h')
  .transform((text) => Number(text.slice(0, -1)) * (SECONDS[text.slice(-1)] ?? 1));

export const PublicKey = z
  .string()
  .regex(/^[0-9a-f]{64}$/i, 'must be 64 hex characters: a public key')
  .toLowerCase();
