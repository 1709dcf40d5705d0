/** Effect builders of one command: the compiler checks the fields of each frame against the command's `out`. */
import type { z } from 'zod';
import type { Rejection } from '../rejection.js';
import type { Frame } from '../wire/frame.js';
import type { Audience, Effect } from './effect.js';

/** Output schemas by name: of frames, or of events. */
export type Outputs = Readonly<Record<string, z.ZodObject>>;

export interface Frames<Out extends Outputs> {
  /** The frame alone, for effects that take one. */
  frame<K extends keyof Out & string>(type: K, body: z.input<Out[K]>): Frame;
  reply<K extends keyof Out & string>(type: K, body: z.input<Out[K]>): Effect;
  broadcast<K extends keyof Out & string>(type: K, body: z.input<Out[K]>, to?: Audience): Effect;
  refuse(rejection: Rejection): Effect;
  /** A broadcast to the others that is kept for those who come later. */
  present<K extends keyof Out & string>(type: K, body: z.input<Out[K]>, ttlMs: number | undefined): Effect;
}

/** One object for all commands: the types of their frames are the compiler's matter alone. */
export const frames: Frames<Outputs> = {
  frame: (type, body) => ({ type, ...body }),
  reply: (type, body) => ({ kind: 'reply', frame: { type, ...body } }),
  broadcast: (type, body, to = 'others') => ({ kind: 'broadcast', frame: { type, ...body }, to }),
  refuse: (rejection) => ({ kind: 'refusal', rejection }),
  present: (type, body, ttlMs) => ({ kind: 'presence', frame: { type, ...body }, ttlMs }),
};
