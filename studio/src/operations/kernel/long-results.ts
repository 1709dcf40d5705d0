/** Results with long lists, on which nobody who asks for something else should have to wait. */
import { z } from 'zod';
import { inTurns } from '../../record/ledger/in-turns.js';

const LONG = 200;
/** So far below the top of a result its lists are. */
const DEEP = 3;
const PIECE = 64 * 1024;

/** What a schema makes of a result. */
export async function parsedInTurns(schema: z.ZodType, value: unknown): Promise<unknown> {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (inner instanceof z.ZodArray && isLong(value)) {
    const { element } = inner;
    return inTurns(value, (item) => z.parse(element, item));
  }
  if (!(inner instanceof z.ZodObject) || !isRecord(value)) return schema.parse(value);
  const long = Object.entries(value).filter(([name, field]) => name in inner.shape && isLong(field));
  if (long.length === 0) return schema.parse(value);
  // All but the long lists at once: no schema of a result says how many there must be.
  const parsed: unknown = schema.parse({ ...value, ...Object.fromEntries(long.map(([name]) => [name, []])) });
  const lists = await Promise.all(
    long.map(async ([name, list]) => [name, await parsedInTurns(inner.shape[name], list)]),
  );
  return Object.assign(Object(parsed), Object.fromEntries(lists));
}

/** JSON text, written in turns where a list is long. */
export async function jsonInTurns(value: unknown): Promise<string> {
  const pieces: string[] = [];
  await writeInTurns(value, DEEP, (json) => pieces.push(json));
  return pieces.join('');
}

/** JSON to send: bytes where a list is long, since a long text would be put together, measured and encoded in one piece. */
export async function jsonToSend(value: unknown): Promise<string | Uint8Array<ArrayBuffer>> {
  if (!holdsLong(value, DEEP)) return JSON.stringify(value);
  const pieces: Uint8Array[] = [];
  let text = '';
  await writeInTurns(value, DEEP, (json) => {
    text += json;
    if (text.length < PIECE) return;
    pieces.push(Buffer.from(text));
    text = '';
  });
  return Buffer.concat([...pieces, Buffer.from(text)]);
}

async function writeInTurns(value: unknown, deep: number, write: (json: string) => void): Promise<void> {
  if (isLong(value)) {
    let before = '[';
    await inTurns(value, (item) => {
      write(before + JSON.stringify(item ?? null));
      before = ',';
    });
    write(']');
  } else if (isRecord(value) && holdsLong(value, deep)) {
    let before = '{';
    for (const [name, field] of Object.entries(value)) {
      if (field === undefined) continue;
      write(`${before}${JSON.stringify(name)}:`);
      await writeInTurns(field, deep - 1, write);
      before = ',';
    }
    write('}');
  } else write(JSON.stringify(value));
}

function holdsLong(value: unknown, deep: number): boolean {
  if (isLong(value)) return true;
  return deep > 0 && isRecord(value) && Object.values(value).some((field) => holdsLong(field, deep - 1));
}

function isLong(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length > LONG;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
