/** Fields of a word, for who makes flags or forms of them. */
import * as z from 'zod';
import type { Word } from './word.js';

export interface WordField {
  readonly name: string;
  readonly type: 'text' | 'number' | 'boolean' | 'list' | 'json';
  readonly about: string;
  readonly choices?: readonly string[];
  readonly isRequired: boolean;
}

const Property = z.object({
  type: z.string().optional(),
  description: z.string().default(''),
  enum: z.array(z.string()).optional(),
});
const Shape = z.object({ properties: z.record(z.string(), Property), required: z.array(z.string()).default([]) });

const TYPES = new Map<string | undefined, WordField['type']>([
  ['boolean', 'boolean'],
  ['integer', 'number'],
  ['number', 'number'],
  ['array', 'list'],
  ['object', 'json'],
]);

/** Fields in the order in which they were declared, the room of a word about one included. */
export function wordFields({ in: input }: Word): readonly WordField[] {
  const { properties, required } = Shape.parse(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }));
  return Object.entries(properties).map(([name, { type, description: about, enum: choices }]) => ({
    name,
    about,
    type: TYPES.get(type) ?? 'text',
    ...(choices ? { choices } : {}),
    isRequired: required.includes(name),
  }));
}
