/** Retry-after header: milliseconds, seconds, or a date. Undefined where it is missing or malformed. */
export function retryAfterMs(headers: Headers | undefined, now: number): number | undefined {
  const exact = positive(headers?.get('retry-after-ms'));
  if (exact !== undefined) return exact;
  const said = headers?.get('retry-after');
  if (said === null || said === undefined) return undefined;
  const seconds = positive(said);
  if (seconds !== undefined) return seconds * 1000;
  const date = /[a-z]/i.test(said) ? Date.parse(said) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function positive(text: string | null | undefined): number | undefined {
  return text !== null && text !== undefined && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}
