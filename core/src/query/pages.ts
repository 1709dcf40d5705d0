/** Rows of a projection, a page at a time. A token goes with the rows that it was given for, and no others. [PJ8] */
import { fromUtf8, toBase64, fromBase64, toHex, toUtf8, DecodeError } from '../codec/bytes/bytes.js';
import { sha256 } from '../codec/bytes/hash.js';
import type { Visible } from './built.js';
import { invalid } from './descriptor.js';
import type { Row } from './rows.js';

export const PAGE = { rows: 100, most: 1000, proven: 100 } as const;
/** Characters of a page of more than one row. */
const PAGE_UNITS = 1024 * 1024;

export interface Page {
  readonly rows: readonly Row[];
  readonly next: string | null;
}

/** Rows of a page: as many as are asked for, within what a page takes. */
export function clamped(limit: number | undefined, most: number): number {
  return Math.min(Math.max(limit ?? PAGE.rows, 1), most);
}

/** `name` is the projection and its checkpoint. Throws a `Rejection` for a token of other rows, or none at all. */
export function pageOf({ rows, digest }: Visible, name: string, limit: number, token: string | undefined): Page {
  const bound = toHex(sha256(toUtf8(`${name}\n${digest}`))).slice(0, 16);
  const from = token === undefined ? 0 : offsetIn(token, bound, rows.length);
  let to = from;
  for (let units = 0; to < rows.length && to - from < limit; to++) {
    units += rows[to]!.text.length;
    if (units > PAGE_UNITS && to > from) break;
  }
  return { rows: rows.slice(from, to), next: to < rows.length ? toBase64(toUtf8(`${bound} ${to}`)) : null };
}

function offsetIn(token: string, bound: string, end: number): number {
  const [, name, offset = ''] = /^([0-9a-f]{16}) ([1-9]\d{0,7})$/.exec(textOf(token)) ?? [];
  if (name !== bound || Number(offset) >= end) throw invalid('page_token: not of these rows; begin again');
  return Number(offset);
}

function textOf(token: string): string {
  try {
    return fromUtf8(fromBase64(token));
  } catch (error) {
    if (error instanceof DecodeError) return '';
    throw error;
  }
}
