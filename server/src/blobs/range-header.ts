/** The `Range` header, RFC 9110: one range of bytes. What is malformed or asks for several is as good as none. */
export interface Part {
  readonly from: number;
  /** End of the range, not included. */
  readonly to: number;
}

export function parseRange(header: string | undefined, size: number): Part | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { from: size - length, to: size };
  }
  const from = Number(first);
  if (last !== '' && Number(last) < from) return undefined;
  if (from >= size) return 'unsatisfiable';
  return { from, to: last === '' ? size : Math.min(Number(last) + 1, size) };
}
