import { describe, expect, it } from 'vitest';
import { HELLO, requestOf } from '../../../testing/models/provider-battery.js';
import { jsonMeant, toolMeant } from './lenient.js';
import { MalformedReply, Reply } from './reply.js';
import { readText } from '../programs/text-protocol.js';

describe('calls that are slightly wrong', () => {
  it.each([
    ['file_write', 'file_write'],
    ['File-Write', 'file_write'],
    ['functions.file_write', 'file_write'],
    ['mcp__studio__look', 'look'],
    ['overlook', 'overlook'],
    ['write', 'write'],
    ['x.READ', 'x.READ'],
    ['delete', 'delete'],
  ])('%s means %s', (name, meant) => {
    expect(toolMeant(name, ['look', 'file_write', 'read', 're_ad'])).toBe(meant);
  });

  it.each([
    ['{"a":1}', { a: 1 }],
    ['```json\n{"a":1}\n```', { a: 1 }],
    ['{"a":[1,2,],}', { a: [1, 2] }],
    ['{"a":"x,]",}', { a: 'x,]' }],
    ['"{\\"a\\":1}"', { a: 1 }],
    ['the input is {"a":1} as you said', { a: 1 }],
    ['[{"a":1},]', [{ a: 1 }]],
    ['{"a":', undefined],
    ['nothing', undefined],
  ])('%s is %o', (text, meant) => {
    expect(jsonMeant(text)).toEqual(meant);
  });

  it.each([
    ['brackets that nothing closes', '['.repeat(1 << 20)],
    ['a string without an end', `["${'\\"'.repeat(1 << 20)}]`],
  ])('are looked for once in %s', (_, text) => {
    expect(jsonMeant(text)).toBeUndefined();
  });

  it('end where their block does, behind however many empty lines', () => {
    const reply = new Reply(requestOf(HELLO.messages, { isLenient: true }));
    readText(`\`\`\`calls\n[]${'\n'.repeat(1 << 20)}  \`\`\`\nafterwards`, reply);
    expect(reply.finish()).toMatchObject({ text: 'afterwards', calls: [] });
  });

  it('are put right only where that is wanted', () => {
    for (const isLenient of [true, false]) {
      const request = requestOf(HELLO.messages, { isLenient });
      const native = new Reply(request);
      native.addCall(0, { name: 'Look', json: '{"at":1,}' });
      const text = new Reply(request);
      const read = () => {
        readText('Well.\n```calls\n[{"name":"Look","input":{"at":1}},]\n```', text);
        return text.finish();
      };
      const calls = [{ name: 'look', input: { at: 1 } }];
      if (isLenient) {
        expect(native.finish()).toMatchObject({ calls });
        expect(read()).toMatchObject({ text: 'Well.', calls });
      } else {
        expect(() => native.finish()).toThrow(MalformedReply);
        expect(read).toThrow(MalformedReply);
      }
    }
  });
});
