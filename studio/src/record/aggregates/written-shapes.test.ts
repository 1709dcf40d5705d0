/**
 * What can be written, kind by kind, as `written-shapes.txt` has it: what one version has written is read by later ones. So a line changes
 * only to take more than it took, and none goes away. Where such a change is meant, `WRITE_KEPT=1 npm test -- written-shapes` writes the line anew.
 */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aggregates, kept, linesOf } from '../../testing/record/written.js';

/** JSON Schema, as far as events have it. */
interface Shape {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape | boolean;
  readonly required?: readonly string[];
  readonly [bound: string]: unknown;
}

const BOUNDS = ['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems', 'pattern', 'default'];

const kinds = aggregates.flatMap(({ name, room, quiet, event }) => {
  const shape = z.toJSONSchema(event, { io: 'input', unrepresentable: 'any' }) as Shape;
  return (shape.anyOf ?? shape.oneOf ?? [shape]).map((kind) => ({
    of: [name, kind.properties?.['type']?.const].join(' '),
    line: `${name} (${room}${quiet ? ', quiet' : ''}) ${textOf(kind)}`,
  }));
});

/** A shape in one line. */
function textOf(shape: Shape): string {
  const either = shape.anyOf ?? shape.oneOf;
  if (either) return either.map(textOf).join(' | ');
  if (shape.enum) return shape.enum.map((each) => JSON.stringify(each)).join(' | ');
  if ('const' in shape) return JSON.stringify(shape.const);
  const bounds = BOUNDS.filter((name) => name in shape).map((name) => `${name} ${JSON.stringify(shape[name])}`);
  return [kindOf(shape), ...bounds].join(' ');
}

function kindOf({ type = 'anything', items, properties, additionalProperties, required = [] }: Shape): string {
  if (typeof type !== 'string') return type.join(' | ');
  if (items) return `[${textOf(items)}]`;
  if (!properties) return typeof additionalProperties === 'object' ? `{*: ${textOf(additionalProperties)}}` : type;
  const fields = Object.entries(properties).map(([name, shape]) => {
    return `${name}${required.includes(name) ? '' : '?'}: ${textOf(shape)}`;
  });
  return `{${fields.join(', ')}}`;
}

describe('what can be written', () => {
  it('is what could be written before', () => {
    const lines = kinds.map(({ line }) => line);
    expect(lines).toEqual(kept('written-shapes.txt', lines));
  });

  it('has been written once: there is an event of each kind that has to be read as it was', () => {
    const written = linesOf('written-events.jsonl').map((line) => {
      const { aggregate, type } = JSON.parse(line) as { readonly aggregate: string; readonly type: string };
      return `${aggregate} ${type}`;
    });
    expect(kinds.map(({ of }) => of).filter((kind) => !written.includes(kind))).toEqual([]);
  });
});
