/**
 * Command line made from the operation table: which words name an operation, which fields it takes, and the request that they
 * make.
 */
import { z } from 'zod';
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

export interface CommandRequest {
  readonly method: string;
  /** Path of the request, query included. */
  readonly path: string;
  readonly body: string | undefined;
  /** Whether the request goes to the tools door: an operation without a route is a tool. */
  readonly isTool: boolean;
}

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

export function commandRequest(operation: NamedOperation, input: Readonly<Record<string, unknown>>): CommandRequest {
  if (!operation.rest) return toolRequest(operation, input);
  const { method, path } = operation.rest;
  const places = inputBinding(operation);
  const query = new URLSearchParams();
  for (const key of places.query)
    for (const one of [input[key] ?? []].flat()) query.append(key, typeof one === 'string' ? one : JSON.stringify(one));
  const body = Object.fromEntries(places.body.flatMap((key) => (key in input ? [[key, input[key]]] : [])));
  const filled = path.replace(/\{([^}]*)\}/g, (_whole, key: string) => encodeURIComponent(String(input[key])));
  return {
    method,
    path: query.size === 0 ? filled : `${filled}?${query.toString()}`,
    body: method === 'GET' || places.body.length === 0 ? undefined : JSON.stringify(body),
    isTool: false,
  };
}

function toolRequest({ tool, external }: NamedOperation, input: Readonly<Record<string, unknown>>): CommandRequest {
  const isExternal = tool === undefined;
  const name = isExternal ? `svcs_v1_${external?.name}` : `svc_v1_${tool}`;
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
  return { method: 'POST', path: isExternal ? '/mcp' : '/mcp/internal', body: JSON.stringify(call), isTool: true };
}

function kindOf(schema: z.core.$ZodType): CommandField['kind'] {
  if (schema instanceof z.ZodString || schema instanceof z.ZodEnum) return 'text';
  if (schema instanceof z.ZodNumber) return 'number';
  if (schema instanceof z.ZodBoolean) return 'switch';
  if (schema instanceof z.ZodArray && kindOf(unwrapped(schema.element)) === 'text') return 'texts';
  return 'json';
}
