/**
 * Records as bytes, where a device keeps nothing else: bytes as they are, all else as JSON, in which what JSON has no form for stands
 * as an object with one name.
 */

/** Name that stands for what JSON has no form for. An object that has it by itself is written as its entries. */
const FORM = '\0';
const BYTES = 0;
const JSON_TEXT = 1;

/** Keys of the platform have no bytes: they are put into `keys`, and their number stands in their place. */
export function toBytes(value: unknown, keys: CryptoKey[]): Uint8Array<ArrayBuffer> {
  const isBytes = value instanceof Uint8Array;
  const rest = isBytes ? value : new TextEncoder().encode(JSON.stringify(formOf(value, keys)));
  const bytes = new Uint8Array(1 + rest.length);
  bytes[0] = isBytes ? BYTES : JSON_TEXT;
  bytes.set(rest, 1);
  return bytes;
}

export function fromBytes(bytes: Uint8Array, keys: readonly CryptoKey[]): unknown {
  const rest = new Uint8Array(bytes.subarray(1)); // its own, and no buffer of a database
  return bytes[0] === BYTES ? rest : valueOf(JSON.parse(new TextDecoder().decode(rest)), keys);
}

function formOf(value: unknown, keys: CryptoKey[]): unknown {
  const form = (name: string, what: unknown): unknown => ({ [FORM]: [name, what] });
  if (typeof value === 'number')
    return Number.isFinite(value) && !Object.is(value, -0) ? value : form('number', numberText(value));
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return form('bytes', [...value]);
  if (value instanceof Date) return form('time', numberText(value.getTime()));
  if (globalThis.CryptoKey !== undefined && value instanceof CryptoKey) return form('key', keys.push(value) - 1);
  if (Array.isArray(value)) return value.map((item) => formOf(item, keys));
  const entries = Object.entries(value).map(([name, field]) => [name, formOf(field, keys)] as const);
  return FORM in value ? form('object', entries) : Object.fromEntries(entries);
}

const numberText = (number: number): string => (Object.is(number, -0) ? '-0' : String(number));

function valueOf(form: unknown, keys: readonly CryptoKey[]): unknown {
  if (typeof form !== 'object' || form === null) return form;
  if (Array.isArray(form)) return form.map((item) => valueOf(item, keys));
  const entries = (of: readonly (readonly [string, unknown])[]): unknown =>
    Object.fromEntries(of.map(([name, field]) => [name, valueOf(field, keys)]));
  if (!(FORM in form)) return entries(Object.entries(form));
  const [name, what] = form[FORM] as readonly [string, never];
  if (name === 'number') return Number(what);
  if (name === 'bytes') return Uint8Array.from(what);
  if (name === 'time') return new Date(Number(what));
  return name === 'key' ? keys[what] : entries(what);
}
