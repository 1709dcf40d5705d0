/** Says which fields of an input are wrong, in words for the caller; the list is bounded because input is not ours. */
import type { z } from 'zod';

export interface FieldFault {
  /** Dotted path; empty for the input as a whole. */
  readonly field: string;
  readonly message: string;
}

const MAX_FAULTS = 20;

/** `input` is what was found wrong: what is not in it at all is missing. */
export function fieldFaults(error: z.ZodError, input: unknown): FieldFault[] {
  return error.issues.slice(0, MAX_FAULTS).flatMap((issue) => {
    const at = issue.path.map(String);
    if (issue.code === 'unrecognized_keys') {
      const unknown = issue.keys.slice(0, MAX_FAULTS);
      return unknown.map((key) => ({ field: [...at, key].join('.'), message: 'no such field' }));
    }
    // What a rule of ours says of a field that is not there is said better by the rule.
    const isMissing = issue.code !== 'custom' && at.length > 0 && valueAt(input, issue.path) === undefined;
    return [{ field: at.join('.'), message: isMissing ? 'is required' : issue.message }];
  });
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), input);
}

function isRecord(value: unknown): value is Readonly<Record<PropertyKey, unknown>> {
  return typeof value === 'object' && value !== null;
}
