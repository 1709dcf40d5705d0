/** Says which fields of an input are wrong, in words for the caller; the list is bounded because input is not ours. */
import type { z } from 'zod';

export interface FieldFault {
  /** Dotted path; empty for the input as a whole. */
  readonly field: string;
  readonly message: string;
}

const MAX_FAULTS = 20;

export function fieldFaults(error: z.ZodError): FieldFault[] {
  return error.issues.slice(0, MAX_FAULTS).flatMap((issue) => {
    const at = issue.path.map(String);
    if (issue.code !== 'unrecognized_keys') return [{ field: at.join('.'), message: issue.message }];
    return issue.keys.slice(0, MAX_FAULTS).map((key) => ({ field: [...at, key].join('.'), message: 'no such field' }));
  });
}
