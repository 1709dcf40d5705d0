/** Values of a room as they are shown to an operator: JSON, no longer than a bound, and what JSON has no words for by name. */
import { BlobRef, toBase64 } from '@weft/core';

export interface ShownValue {
  /** JSON, or its beginning. */
  readonly value: string;
  readonly is_cut: boolean;
}

export function shownValue(value: unknown, most: number): ShownValue {
  const text = JSON.stringify(value, named) ?? 'undefined';
  return { value: text.slice(0, most), is_cut: text.length > most };
}

function named(_key: string, value: unknown): unknown {
  if (value instanceof BlobRef) return { blob: value.hash };
  return value instanceof Uint8Array ? { bytes: toBase64(value) } : value;
}
