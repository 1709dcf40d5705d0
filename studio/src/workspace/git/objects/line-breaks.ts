/**
 * Line breaks of what is written into a tree without a folder: as git would store them from one. Otherwise every line of the file
 * differs from what is there, and a folder that it comes to counts as changed from then on.
 */

/** Attributes by which git decides it. */
export const BREAK_ATTRIBUTES = ['text', 'eol', 'crlf'] as const;

/** How breaks of Windows are stored: `as before` is as such where the file has them already. */
export type Breaks = 'as line feeds' | 'as before' | 'as they are';

/** By path, from the output of `git check-attr`. */
export function breaksOf(parts: readonly string[]): Map<string, Breaks> {
  const values = new Map<string, Record<string, string>>();
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [path, name, value] = parts.slice(at, at + 3) as [string, string, string];
    values.set(path, { ...values.get(path), [name]: value });
  }
  return new Map([...values].map(([path, attributes]) => [path, breaksBy(attributes)]));
}

function breaksBy({ text = '', eol = '', crlf = '' }: Readonly<Record<string, string>>): Breaks {
  // The older name counts where the newer one says nothing.
  const way = text === 'unspecified' ? crlf : text;
  if (way === 'set' || way === 'input') return 'as line feeds';
  if (way === 'auto') return 'as before';
  return way === 'unspecified' && (eol === 'lf' || eol === 'crlf') ? 'as line feeds' : 'as they are';
}

/** Whether it has breaks of Windows. */
export function hasBreaks(content: string | Uint8Array): boolean {
  return Buffer.from(content).includes('\r\n');
}

/** Controls that git takes for text. */
const PRINTED: ReadonlySet<number> = new Set(Buffer.from('\b\t\n\f\u001b'));

/** Whether git, where it decides itself, takes it for no text. */
export function isBinary(content: string | Uint8Array): boolean {
  const bytes = Buffer.from(content);
  if (bytes.includes(0)) return true;
  let odd = 0;
  for (const [at, byte] of bytes.entries()) {
    if (byte === 13) {
      if (bytes[at + 1] !== 10) return true;
    } else if (byte === 127 || (byte < 32 && !PRINTED.has(byte))) odd += 1;
  }
  return (bytes.length - odd) >> 7 < odd;
}

export function withLineFeeds(content: string | Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(content).toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
}
