/** Canaries: bytes that stand in all that an adversary may not know, and the search for them in whatever reaches it. */
import { DecodeError, decodePack, fromBase64, toHex } from '@weft/core';

export const CANARY = 'canary-d41d8c';

/** Place of a canary in a frame that was received, in plain text, in base64, or inside a pack; undefined where there is none. */
export function canaryIn(value: unknown, at = 'frame'): string | undefined {
  if (typeof value === 'string') return hasCanary(value) ? at : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, item] of Object.entries(value)) {
    const found = hasCanary(name) ? `${at}.${name}` : canaryIn(item, `${at}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function hasCanary(text: string): boolean {
  if (text.includes(CANARY)) return true;
  if (text.length < 8 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return false;
  let bytes: Uint8Array;
  try {
    bytes = fromBase64(text);
  } catch {
    return false; // no base64 after all
  }
  return Buffer.from(bytes).includes(CANARY) || packHasCanary(bytes);
}

/** A pack may be deflated, and is read as what it holds. Random bytes may begin as one does, and hold nothing that anybody could read. */
function packHasCanary(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0x57) return false;
  const plain = (_: string, item: unknown): unknown =>
    item instanceof Uint8Array ? `${Buffer.from(item).toString('latin1')}${toHex(item)}` : item;
  try {
    return JSON.stringify(decodePack(bytes).nodes, plain).includes(CANARY);
  } catch (error) {
    if (error instanceof DecodeError) return false;
    throw error;
  }
}
