/** Arguments that a client repeats in headers say the same there, or the call is refused. */
import { describe, expect, it } from 'vitest';
import { refusedHeaders } from './param-headers.js';

const HEADED = { 'x-mcp-header': 'Region' };
const schema = (type: string) => ({ type: 'object' as const, properties: { region: { type, ...HEADED }, other: {} } });
const inBase64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;

async function refused(inputSchema: ReturnType<typeof schema>, given: unknown, said?: string): Promise<unknown> {
  const headers = new Headers(said === undefined ? {} : { 'mcp-param-region': said });
  const response = refusedHeaders(7, { inputSchema }, given, headers);
  return response && { status: response.status, ...((await response.json()) as object) };
}

describe('an argument that a header repeats', () => {
  it.each([
    ['a text', 'string', 'eu', 'eu'],
    ['a text in Base64', 'string', 'Zürich', inBase64('Zürich')],
    ['a text that only looks like Base64', 'string', 'SGVsbG8=', 'SGVsbG8='],
    ['a text that begins like Base64', 'string', '=?base64?SGk=', '=?base64?SGk='],
    ['a number, however it is written', 'integer', 42, '42.0'],
    ['yes or no', 'boolean', false, 'false'],
    ['nothing', 'string', undefined, 'of no account'],
    ['null', 'string', null, undefined],
  ])('passes where both say the same: %s', async (_name, type, value, said) => {
    expect(await refused(schema(type), { region: value, other: 'x' }, said)).toBeUndefined();
  });

  it.each([
    ['another text', 'eu', 'us'],
    ['no header', 'eu', undefined],
    ['Base64 without its padding', 'Hello', '=?base64?SGVsbG8?='],
    ['letters that Base64 does not have', 'Hello', '=?base64?SGVs!!!bG8=?='],
    ['bytes that are no text', 'Hello', '=?base64?/////w==?='],
    ['another number', 42, '43'],
  ])('is refused where they differ: %s', async (_name, value, said) => {
    expect(await refused(schema('string'), { region: value }, said)).toMatchObject({
      status: 400,
      id: 7,
      error: { code: -32_020, data: { mismatch: { header: 'Mcp-Param-Region', body: 'region' } } },
    });
  });

  it('is found within objects, and asked of no other tool', async () => {
    const inner = { type: 'object' as const, properties: { place: schema('string') } };
    const none = { type: 'object' as const, properties: {} };
    expect(refusedHeaders(1, { inputSchema: inner }, { place: { region: 'eu' } }, new Headers())?.status).toBe(400);
    expect(refusedHeaders(1, { inputSchema: none }, { region: 'eu' }, new Headers())).toBeUndefined();
    expect(refusedHeaders(1, { inputSchema: inner }, 'no object', new Headers())).toBeUndefined();
  });
});
