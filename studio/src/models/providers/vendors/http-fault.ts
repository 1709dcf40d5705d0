/** Error mapping: what a failed HTTP call means in terms of the port. Both official libraries throw errors of this shape. */
import { z } from 'zod';
import type { ProviderFault } from '../../provider.js';
import { ProviderError } from '../../provider.js';
import { retryAfterMs } from './retry-after.js';

const Thrown = z.object({
  name: z.string().optional().catch(undefined),
  message: z.string().catch(''),
  status: z.number().optional().catch(undefined),
  headers: z.instanceof(Headers).optional().catch(undefined),
  type: z.string().optional().catch(undefined),
  /** Body of the answer. The vendor's stable name of an error is deep inside. */
  error: z
    .looseObject({
      error: z
        .looseObject({ details: z.looseObject({ error_code: z.string() }).optional().catch(undefined) })
        .optional(),
    })
    .optional()
    .catch(undefined),
  code: z.union([z.string(), z.number()]).optional().catch(undefined),
});
type Thrown = z.infer<typeof Thrown>;

const byStatus: ReadonlyMap<number, ProviderFault> = new Map([
  [401, 'unauthorized'],
  [403, 'unauthorized'],
  [408, 'timeout'],
  [409, 'overloaded'],
  [413, 'too-long'],
  [429, 'rate-limited'],
]);

/** Error names inside a stream, where no status tells. */
const byName: ReadonlyMap<string, ProviderFault> = new Map([
  ['rate_limit_error', 'rate-limited'],
  ['rate_limit_exceeded', 'rate-limited'],
  ['overloaded_error', 'overloaded'],
  ['api_error', 'overloaded'],
  ['server_error', 'overloaded'],
  ['timeout_error', 'timeout'],
  ['authentication_error', 'unauthorized'],
  ['permission_error', 'unauthorized'],
  ['invalid_api_key', 'unauthorized'],
  ['request_too_large', 'too-long'],
  ['context_length_exceeded', 'too-long'],
  ['invalid_request_error', 'refused'],
  ['not_found_error', 'refused'],
  // Waiting a while does not end it: a person does, or the vendor's month.
  ['insufficient_quota', 'spent-out'],
  ['billing_error', 'spent-out'],
  ['billing_hard_limit_reached', 'spent-out'],
  ['enforced_spend_limit_reached', 'spent-out'],
  ['contract_spend_limit_reached', 'spent-out'],
  ['linked_organization_spend_limit_reached', 'spent-out'],
  ['ramp_limit_exceeded', 'spent-out'],
]);
const tooLong = /prompt is too long|context (length|window)|maximum context|too many tokens/i;
const MOST_QUOTED = 300;

export interface Asked {
  readonly vendor: string;
  readonly key: string | undefined;
  readonly now: () => number;
}

export function httpFault(asked: Asked, error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  const { vendor, key, now } = asked;
  const thrown = Thrown.safeParse(error).data ?? { message: '' };
  const fault = faultOf(thrown);
  const { status } = thrown;
  const code = codeOf(thrown);
  // Vendors' messages about a key show parts of it.
  if (fault === 'unauthorized')
    return new ProviderError(fault, `${vendor} refuses the key${statusIn(thrown)}`, { status, code });
  if (fault === 'unreachable') return new ProviderError(fault, `${vendor} cannot be reached, or broke off its answer`);
  const said = withoutKey(thrown.message, key).slice(0, MOST_QUOTED);
  return new ProviderError(fault, `${vendor}: ${said}`, {
    retryAfterMs: fault === 'spent-out' ? undefined : retryAfterMs(thrown.headers, now()),
    status,
    code,
  });
}

/** Stable name of the error: the most exact one that the vendor gives. */
function codeOf({ error, code, type }: Thrown): string | undefined {
  return error?.error?.details?.error_code ?? (code === undefined ? type : String(code));
}

function faultOf(thrown: Thrown): ProviderFault {
  const { status, code, type, message } = thrown;
  const named = byName.get(codeOf(thrown) ?? '') ?? byName.get(String(code)) ?? byName.get(type ?? '');
  if (named === 'spent-out' || status === 402) return 'spent-out';
  if (status === undefined) {
    if (named) return named === 'refused' && tooLong.test(message) ? 'too-long' : named;
    return thrown.name === 'SyntaxError' ? 'malformed' : 'unreachable';
  }
  if (status >= 500) return 'overloaded';
  const known = byStatus.get(status);
  if (known) return known;
  return named === 'too-long' || tooLong.test(message) ? 'too-long' : 'refused';
}

function statusIn({ status }: Thrown): string {
  return status === undefined ? '' : ` (${status})`;
}

function withoutKey(text: string, key: string | undefined): string {
  return key === undefined || key === '' ? text : text.replaceAll(key, '[key]');
}
