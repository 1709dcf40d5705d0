/**
 * Command line made from the operation table: which words name an operation, which fields it takes, and how it is called.
 */
import { z } from 'zod';
import type { Scope } from '../../operations/kernel/caller.js';
import type { NamedOperation } from '../../operations/kernel/define.js';
import { inputBinding, unwrapped } from '../../operations/kernel/input-fields.js';
import { isObject, jsonSchema } from '../entry/schemas.js';

export interface CommandField {
  readonly name: string;
  readonly summary: string;
  /** `json` is for what text cannot spell. */
  readonly kind: 'text' | 'number' | 'switch' | 'texts' | 'json';
  readonly isRequired: boolean;
  /** Allowed values, where they are few words. */
  readonly choices?: readonly string[];
}

/** How an operation is called, as data: all that a program needs which has not read the operations. */
export type CommandCall = {
  /** Scope of the token that it takes. */
  readonly scope: Scope;
} & (
  | {
      readonly method: string;
      readonly path: string;
      /** Fields of the input that travel there; those of the path stand in it, in braces. */
      readonly query: readonly string[];
      readonly body: readonly string[];
    }
  /** An operation without a route is a tool, which has this name at this door. */
  | { readonly tool: string; readonly door: string }
);

/** Words of a command, such as `workunit list` or `repository list-files`. */
export function commandWords({ id }: NamedOperation): readonly [noun: string, verb: string] {
  const [noun = '', verb = ''] = id.split('.');
  return [noun, verb.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)];
}

export function commandFields(operation: NamedOperation): CommandField[] {
  const { properties } = jsonSchema(operation.in, 'input');
  return Object.entries(operation.in.shape).map(([name, schema]) => {
    const described = isObject(properties) ? properties[name] : undefined;
    const summary = isObject(described) && typeof described['description'] === 'string' ? described['description'] : '';
    const plain = unwrapped(schema);
    return {
      name,
      summary,
      kind: kindOf(plain),
      isRequired: !z.safeParse(schema, undefined).success,
      ...(plain instanceof z.ZodEnum ? { choices: plain.options.map(String) } : {}),
    };
  });
}

export function commandCall(operation: NamedOperation): CommandCall {
  const { rest, tool, external, scope } = operation;
  if (rest) {
    const { query, body } = inputBinding(operation);
    return { scope, method: rest.method, path: rest.path, query, body };
  }
  if (tool === undefined) return { scope, tool: `svcs_v1_${external?.name}`, door: '/mcp' };
  // Internal tools need the admin token, whatever the operation itself needs.
  return { scope: 'admin', tool: `svc_v1_${tool}`, door: '/mcp/internal' };
}

function kindOf(schema: z.core.$ZodType): CommandField['kind'] {
  if (schema instanceof z.ZodString || schema instanceof z.ZodEnum) return 'text';
  if (schema instanceof z.ZodNumber) return 'number';
  if (schema instanceof z.ZodBoolean) return 'switch';
  if (schema instanceof z.ZodArray && kindOf(unwrapped(schema.element)) === 'text') return 'texts';
  return 'json';
}
