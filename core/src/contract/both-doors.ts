/** A command that is offered on the wire and in the embedding API alike, where the operator asks. */
import type { z } from 'zod';
import type { Capability } from '../access/rights.js';
import type { Asker } from '../query/answers.js';
import type { Reason } from '../rejection.js';
import { rejectedShape } from '../wire/rejected.js';
import { type Command, command } from './command.js';
import type { Outputs } from './frames.js';
import { type HostCommand, type HostContext, hostCommand } from './host-command.js';

/** What a command may know that is asked for through either door. */
export interface AskedIn extends Pick<HostContext, 'tenancy' | 'other' | 'mayVisit'> {
  readonly asker: Asker;
}

export function bothDoors<In extends z.ZodObject, Out extends z.ZodObject>(declaration: {
  readonly type: string;
  readonly variant: string;
  readonly summary: string;
  readonly requires: Capability;
  readonly in: In;
  /** The answer: as a frame, and as an event. */
  readonly answers: { readonly frame: string; readonly event: string; readonly out: Out };
  /** Absent: it says no by an `error`, or throws. */
  readonly rejects?: { readonly frame: string; readonly event: string; readonly echoes: readonly string[] };
  readonly refuses: readonly Reason[];
}) {
  const { type, variant, summary, requires, in: input, answers, rejects, refuses } = declaration;
  const rejected = (name: 'frame' | 'event') =>
    rejects ? { rejected: { name: rejects[name], echoes: rejects.echoes } } : {};
  return {
    run(handler: (context: AskedIn, input: z.output<In>) => Promise<z.input<Out>>): readonly [Command, HostCommand] {
      const out: Outputs = {
        [answers.frame]: answers.out,
        ...(rejects ? { [rejects.frame]: rejectedShape(rejects.echoes) } : {}),
      };
      return [
        command({ type, summary, requires, in: input, out, refuses, ...rejected('frame') }).run(
          async ({ tenancy, identity, rights, other, mayVisit, reply }, given) => {
            const asker = { name: identity.pubkey, read: rights.read };
            const context = {
              tenancy,
              asker,
              other: (room: string) => other(room, type),
              mayVisit: (room: string) => mayVisit(room, type),
            };
            return [reply(answers.frame, await handler(context, given))];
          },
        ),
        {
          ...hostCommand({ variant, event: answers.event, summary, in: input, out: answers.out }).run(
            (context, given) => handler({ ...context, asker: { name: 'host', read: undefined } }, given),
          ),
          ...rejected('event'),
        },
      ];
    },
  };
}
