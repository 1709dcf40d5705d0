/**
 * JSON Schema (2020-12) of what an operation takes and gives, made from the very schemas that validate.
 *
 * Making one costs far more than using it, so each is made once, when it is first asked for. Tool schemas come
 * out without references and with an object on top: one schema that a client cannot read makes some clients
 * drop every tool.
 */
import { z } from 'zod';
import type { Operation } from '../../operations/kernel/define.js';
import { CONTRACT_VERSION } from '../../version.js';

export interface JsonObject {
  [key: string]: JsonValue;
}
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

export type ToolSchema = JsonObject & { type: 'object' };

const inputs = new WeakMap<z.ZodType, ToolSchema>();
const agentInputs = new WeakMap<z.ZodType, ToolSchema>();
const outputs = new WeakMap<z.ZodType, ToolSchema>();

export function jsonSchema(schema: z.ZodType, direction: 'input' | 'output'): JsonObject {
  const made = z.toJSONSchema(schema, {
    io: direction,
    // A result may gain fields in a later version; a client that validates must not be told otherwise.
    override: ({ jsonSchema: part }) => {
      if (direction === 'output' && part.additionalProperties === false) delete part.additionalProperties;
    },
  });
  const { $schema: _dialect, ...plain } = toJsonObject(made);
  return plain;
}

export function toolInputSchema(operation: Operation): ToolSchema {
  return madeOnce(inputs, operation.in, () => onTop(inlined(jsonSchema(operation.in, 'input'))));
}

/** Input as agents are shown it: without the fields that they are always refused. */
export function agentInputSchema(operation: Operation): ToolSchema {
  const { in: whole, ofPeople } = operation;
  if (ofPeople.length === 0) return toolInputSchema(operation);
  return madeOnce(agentInputs, whole, () => {
    const left = Object.entries(whole.shape).filter(([field]) => !ofPeople.includes(field));
    return onTop(inlined(jsonSchema(z.strictObject(Object.fromEntries(left)), 'input')));
  });
}

/**
 * The envelope that a tool answers with on success, whatever the operation gives: always an object. Without descriptions: a list
 * of tools stands before a model whole, and the reference has them.
 */
export function toolOutputSchema(out: z.ZodType): ToolSchema {
  return madeOnce(outputs, out, () => {
    const envelope = z.object({
      contractVersion: z.literal(CONTRACT_VERSION).describe('Version of the shapes.'),
      data: out,
      nextCursor: z.string().optional().describe('Where a list goes on, if it does.'),
    });
    return onTop(undescribed(inlined(jsonSchema(envelope, 'output'))));
  });
}

function madeOnce(made: WeakMap<z.ZodType, ToolSchema>, schema: z.ZodType, make: () => ToolSchema): ToolSchema {
  const known = made.get(schema) ?? make();
  made.set(schema, known);
  return known;
}

function undescribed(schema: JsonObject): JsonObject {
  const bare = (value: JsonValue, isNamed: boolean): JsonValue => {
    if (Array.isArray(value)) return value.map((item) => bare(item, false));
    if (!isObject(value)) return value;
    // Under `properties` the keys are names of fields, one of which may be "description".
    const kept = Object.entries(value).filter(([key]) => isNamed || key !== 'description');
    return Object.fromEntries(kept.map(([key, item]) => [key, bare(item, !isNamed && key === 'properties')]));
  };
  const whole = bare(schema, false);
  return isObject(whole) ? whole : {};
}

function onTop(schema: JsonObject): ToolSchema {
  const { type, ...rest } = schema;
  if (type !== 'object') throw new Error('the top of a tool schema must be an object');
  return { type, ...rest };
}

/** Puts each definition where it is referred to. */
function inlined({ $defs, ...schema }: JsonObject): JsonObject {
  const definitions = isObject($defs) ? $defs : {};
  const open = (value: JsonValue, inside: readonly string[]): JsonValue => {
    if (Array.isArray(value)) return value.map((item) => open(item, inside));
    if (!isObject(value)) return value;
    const { $ref, ...rest } = value;
    if (typeof $ref !== 'string') return mapValues(value, (item) => open(item, inside));
    const name = $ref.replace('#/$defs/', '');
    const definition = definitions[name];
    if (definition === undefined || !isObject(definition)) throw new Error(`${$ref} is not defined`);
    if (inside.includes(name)) throw new Error(`${name} contains itself; a tool schema cannot`);
    return open({ ...definition, ...rest }, [...inside, name]);
  };
  const whole = open(schema, []);
  return isObject(whole) ? whole : {};
}

export function mapValues(object: JsonObject, change: (value: JsonValue, key: string) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toJsonObject(value: unknown): JsonObject {
  const copy: JsonValue = JSON.parse(JSON.stringify(value));
  if (!isObject(copy)) throw new Error('a schema must be an object');
  return copy;
}
