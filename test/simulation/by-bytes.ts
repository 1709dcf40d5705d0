/** Answers about bytes that come by again and again: each is worked out once. */

/** So many are remembered. */
const KEPT = 512;

export function byBytes<T>(workOut: (bytes: Uint8Array) => T): (bytes: Uint8Array) => T {
  const known = new Map<string, T>();
  return (bytes) => {
    const name = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    const before = known.get(name);
    if (before !== undefined || known.has(name)) return before as T;
    const answer = workOut(bytes);
    if (known.size >= KEPT) known.clear();
    known.set(name, answer);
    return answer;
  };
}
