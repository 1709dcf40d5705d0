/** Declaration of a frame that the server sends unasked: its type, when it comes, and its shape. */
import type { z } from 'zod';
import type { Frame } from './frame.js';

export interface Notice<Out extends z.ZodObject = z.ZodObject> {
  readonly kind: 'notice';
  readonly type: string;
  readonly when: string;
  readonly out: Out;
  frame(body: z.input<Out>): Frame;
}

export function notice<Out extends z.ZodObject>(declaration: {
  readonly type: string;
  readonly when: string;
  readonly out: Out;
}): Notice<Out> {
  return { ...declaration, kind: 'notice', frame: (body) => ({ type: declaration.type, ...body }) };
}
