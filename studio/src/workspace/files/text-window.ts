/** Window of a text, by lines. */
export interface TextWindow {
  readonly content: string;
  readonly totalLines: number;
  /** Whether there is more before or after it. */
  readonly truncated: boolean;
}

const MOST_WINDOW_BYTES = 512 << 10;

/** Window of a text; `offset` is the first line, from 1. It ends with a whole line, unless not even one fits. */
export function windowOf(text: string, offset: number, limit: number, most = MOST_WINDOW_BYTES): TextWindow {
  const lines = linesOf(text);
  let content = '';
  let bytes = 0;
  let taken = 0;
  for (const line of lines.slice(offset - 1, offset - 1 + limit)) {
    bytes += Buffer.byteLength(line);
    if (bytes > most) {
      if (taken === 0)
        content = Buffer.from(line)
          .subarray(0, most)
          .toString('utf8')
          .replace(/\ufffd+$/, '');
      break;
    }
    content += line;
    taken += 1;
  }
  return { content, totalLines: lines.length, truncated: taken < lines.length };
}

/** Lines with their line breaks. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
