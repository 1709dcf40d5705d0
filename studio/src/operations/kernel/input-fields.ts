/** Where each field of an operation's input travels over REST: what the route and `query` do not name is the body. */
import { z } from 'zod';
import type { Operation } from './define.js';
import { BranchId } from '../branches/branch-shape.js';

export interface InputBinding {
  readonly path: readonly string[];
  readonly query: readonly string[];
  /**
   * Keys of the path that the query may say in its place: branches. Their ids can hold slashes, which are percent-encoded there; for whom a
   * proxy undoes that, `-` stands in the path and `?branchId=` says which one is meant.
   */
  readonly either: readonly string[];
  readonly body: readonly string[];
}

export function inputBinding({ rest, in: input }: Pick<Operation, 'rest' | 'in'>): InputBinding {
  const path = [...(rest?.path ?? '').matchAll(/\{([^}]*)\}/g)].map((match) => match[1] ?? '');
  const query = rest?.query ?? [];
  const either = path.filter((key) => input.shape[key] === BranchId);
  const body = Object.keys(input.shape).filter((key) => !path.includes(key) && !query.includes(key));
  return { path, query, either, body };
}

/** Takes away optional, nullable and default wrappers. */
export function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return unwrapped(schema.unwrap());
  }
  return schema;
}
