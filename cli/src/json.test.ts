/** `--json` is for every command: whoever writes a program need not know which has it. */
import { Readable } from 'node:stream';
import { systemClock } from '@weft/core';
import { expect, it } from 'vitest';
import { run } from './run.js';
import { loadCommands } from './table.js';
import { VERSION } from './version.js';

async function said(...args: string[]): Promise<unknown> {
  const out: string[] = [];
  const code = await run(args, {
    isInteractive: false,
    canAsk: false,
    page: () => Promise.resolve(),
    clock: systemClock,
    input: () => Readable.from([]),
    environment: {},
    stop: new AbortController().signal,
    err: () => undefined,
    status: () => undefined,
    paint: (_: string, text: string) => text,
    out: (line) => out.push(line),
  });
  expect([code, out.length]).toEqual([0, 1]);
  return JSON.parse(out[0] ?? '');
}

it('every command takes --json', async () => {
  expect((await loadCommands()).filter(({ flags }) => !('json' in flags))).toEqual([]);
});

it('what is made for shells is given to programs as one value', async () => {
  expect(await said('completion', '--shell', 'fish', '--json')).toEqual({
    shell: 'fish',
    script: expect.stringMatching(/^function __weft_words\n.*\n$/s),
  });
  expect(await said('version', '--json')).toEqual({ version: VERSION });
  expect(await said('--version', '--json')).toEqual({ version: VERSION });
});
