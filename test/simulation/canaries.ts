/** Secrets of a simulation, and the search for them in whatever reaches somebody: in the plain, in base64, or inside a pack. */
import { decodePack, fromBase64 } from '@weft/core';
import { byBytes } from './by-bytes.js';

const SECRET = 'canary-7f3a-';
const NUMBERED = /canary-7f3a-(\d+)/g;

export function secret(number: number): string {
  return `${SECRET}${number}`;
}

/** Whether a value says a secret in the plain. */
export function saysSecret(value: unknown): boolean {
  return typeof value === 'string' && value.includes(SECRET);
}

/** Place of a secret of that number or a higher one; undefined where there is none. */
export function secretIn(value: unknown, least: number, at = ''): string | undefined {
  if (typeof value === 'string') return holds(value, least) || isHidden(value, least) ? at : undefined;
  if (value instanceof Uint8Array) return isWithin(value, least) ? at : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, item] of Object.entries(value)) {
    const found = holds(name, least) ? `${at}.${name}` : secretIn(item, least, `${at}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function holds(text: string, least: number): boolean {
  if (!text.includes(SECRET)) return false;
  for (const [, number] of text.matchAll(NUMBERED)) if (Number(number) >= least) return true;
  return false;
}

function isHidden(text: string, least: number): boolean {
  if (text.length < 8 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return false;
  try {
    return isWithin(fromBase64(text), least);
  } catch {
    return false; // no base64 after all
  }
}

function isWithin(bytes: Uint8Array, least: number): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  if (holds(text, least)) return true;
  return bytes[0] === 0x57 && holds(inflated(bytes), least); // a pack may be deflated
}

/** What a pack says, in the plain; nothing where it is none. */
const inflated = byBytes((bytes) => {
  try {
    return JSON.stringify(decodePack(bytes).nodes, plain);
  } catch {
    return ''; // no pack after all
  }
});

function plain(_: string, item: unknown): unknown {
  return item instanceof Uint8Array ? Buffer.from(item).toString('latin1') : item;
}
