/**
 * Wait that a vendor asks for: the retry-after header in milliseconds, seconds or as a date; else, until a limit that is used up begins
 * anew. Undefined where nothing is said, or not in a form that is known.
 */
export function retryAfterMs(headers: Headers | undefined, now: number): number | undefined {
  const exact = positive(headers?.get('retry-after-ms'));
  if (exact !== undefined) return exact;
  const said = headers?.get('retry-after');
  if (said === null || said === undefined) return resetMs(headers, now);
  const seconds = positive(said);
  if (seconds !== undefined) return seconds * 1000;
  const date = /[a-z]/i.test(said) ? Date.parse(said) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function positive(text: string | null | undefined): number | undefined {
  return text !== null && text !== undefined && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}

const RESET = /^(?:anthropic-ratelimit|x-ratelimit)-(?:reset-)?([a-z-]+?)(?:-reset)?$/;

/** Time until the last of the limits of which nothing remains begins anew. */
function resetMs(headers: Headers | undefined, now: number): number | undefined {
  const waits = [...(headers ?? new Headers())].flatMap(([name, value]) => {
    const [, limit] = name.includes('reset') ? (RESET.exec(name) ?? []) : [];
    if (limit === undefined || headers === undefined) return [];
    const remaining =
      headers.get(`anthropic-ratelimit-${limit}-remaining`) ?? headers.get(`x-ratelimit-remaining-${limit}`);
    const wait = durationOf(value) ?? untilDate(value, now);
    return remaining?.trim() === '0' && wait !== undefined ? [wait] : [];
  });
  return waits.length === 0 ? undefined : Math.max(...waits);
}

/** Duration as one vendor writes it: `6m0s`, `1h2m`, `250ms`. */
function durationOf(text: string): number | undefined {
  const [, hours, minutes, seconds, millis] =
    /^(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?$/.exec(text.trim()) ?? [];
  const parts = [hours, minutes, seconds, millis];
  if (parts.every((part) => part === undefined)) return undefined;
  const [h, m, s, ms] = parts.map((part) => Number(part ?? 0));
  return ((h! * 60 + m!) * 60 + s!) * 1000 + ms!;
}

function untilDate(text: string, now: number): number | undefined {
  const date = /^\d{4}-/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
