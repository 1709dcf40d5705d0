/**
 * Where a request was sent to, and where it comes from, by names alone: ports differ. A name of this machine is always good.
 * A request without an Origin comes from no page of another site, or from a program.
 */
import { refusal } from '../../reasons.js';

const HERE: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Refuses requests for, or from, somewhere else than this machine and the hosts that are named. */
export function originCheck(allowedHosts: readonly string[]): (headers: Headers) => void {
  const known = new Set([...HERE, ...allowedHosts]);
  return (headers) => {
    const host = headers.get('host') ?? '';
    if (host === '') throw refusal('reject.host_not_allowed', 'Missing Host header');
    const sentTo = nameIn(`http://${host}`);
    if (sentTo === undefined) throw refusal('reject.host_not_allowed', `Invalid Host header: ${host}`);
    if (!known.has(sentTo)) throw refusal('reject.host_not_allowed', `Invalid Host: ${sentTo}`);
    const origin = headers.get('origin') ?? '';
    if (origin === '') return;
    const from = nameIn(origin);
    if (from === undefined) throw refusal('reject.origin_not_allowed', `Invalid Origin header: ${origin}`);
    if (!known.has(from)) throw refusal('reject.origin_not_allowed', `Invalid Origin: ${from}`);
  };
}

/** Host name of an address; undefined for what has none, such as the Origin `null` of a page without one. */
function nameIn(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).hostname || undefined : undefined;
}
