/** What other programs and vendors say to the studio: git, models and their scripts, patches, output of builds and tests. */
import { readNotice } from '../../../studio/src/workspace/forges/hook.js';
import {
  blamedLines,
  changesOf,
  differencesOf,
  entriesOf,
  foundLines,
  mergesOf,
  pastCommits,
  piecesOf,
} from '../../../studio/src/workspace/git/calls/git-answers.js';
import { ProviderError } from '../../../studio/src/models/provider.js';
import { anthropic } from '../../../studio/src/models/providers/vendors/anthropic.js';
import { jsonMeant, toolMeant } from '../../../studio/src/models/providers/replies/lenient.js';
import { openai } from '../../../studio/src/models/providers/vendors/openai.js';
import { readScript } from '../../../studio/src/models/providers/scripted/script.js';
import { play } from '../../../studio/src/models/providers/scripted/scripted.js';
import { Reply } from '../../../studio/src/models/providers/replies/reply.js';
import { readText } from '../../../studio/src/models/providers/programs/text-protocol.js';
import { requestOf } from '../../../studio/src/testing/models/provider-battery.js';
import { parsePatch } from '../../../studio/src/workspace/files/patch-parser.js';
import { patchText } from '../../../studio/src/workspace/files/patch-text.js';
import { descriptionIn } from '../../../studio/src/workspace/files/skill-head.js';
import { failuresIn } from '../../../studio/src/workspace/programs/failures.js';
import { lintResults } from '../../../studio/src/workspace/programs/lint-lines.js';
import { testCounts } from '../../../studio/src/workspace/programs/test-counts.js';
import { type Target, bytesOf, textOf } from '../target.js';
import { isRefusal } from './peers.js';

const never = (): boolean => false;
const isFault = (error: unknown): boolean => error instanceof ProviderError;

const ID = 'a1'.repeat(20);
const OTHER = 'b2'.repeat(20);

/** One parser of git's output: the number of it, then what git prints. */
const GIT: readonly (readonly [output: string, read: (text: string) => unknown])[] = [
  [`100644 blob ${ID}\tdocs/a.md\x00100755 blob ${OTHER}\trun.sh\x00`, entriesOf],
  [`:100644 100644 ${ID} ${OTHER} M\x00docs/a.md\x00:000000 100644 ${ID} ${OTHER} A\x00b\x00`, changesOf],
  [`${ID} ${OTHER}\n:100644 100644 ${ID} ${OTHER} M\x00docs/a.md\x00${ID} ${ID}\n`, differencesOf],
  [
    `${ID}\n2026-03-01T10:00:00+00:00\nAnn\nFirst line\n\x00${OTHER}\n2026-03-02T10:00:00+00:00\nBob\nSecond\x00`,
    pastCommits,
  ],
  [`${ID} 1 1 1\nauthor Ann\ncommitter-time 1700000000\nsummary First\n\tline\n`, blamedLines],
  [`${ID}:docs/a.md\x003\x00found\n${ID}:b\x0012\x00again\n`, (text) => foundLines(text, ID, 1000)],
  [
    `0\x00${ID}\x00100644 ${ID} 1\tdocs/a.md\x00\x001\x00docs/a.md\x00CONFLICT (contents)\x00said\x00\x001\x00${ID}\x00\x00`,
    (text) => mergesOf(text, [[ID, OTHER]]),
  ],
  [
    `${ID} blob 4\nabcd\n${OTHER} blob 2\nef\n`,
    (text) =>
      piecesOf(
        Buffer.from(text),
        new Map([
          [ID, 4],
          [OTHER, 2],
        ]),
      ),
  ],
];

const REQUEST = requestOf([{ role: 'user', text: 'Begin.' }], { isLenient: true });

const SCRIPT = [
  '{"script":1}',
  '// who asks, then what is said',
  '{"when":{"role":"worker","says":"Begin"},"text":"Well.","calls":[{"name":"look","input":{"path":"a"}}]}',
  '{"turn":1,"fault":"overloaded","retryAfterMs":5}',
  '{"turn":1,"text":"{{unit}} is done","stop":"end","usage":{"inputTokens":1,"cachedInputTokens":0,"outputTokens":2}}',
].join('\n');

const event = (data: object, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

const MESSAGES = [
  { type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Well.' } },
  { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 'c1', name: 'look' } },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"path":"a"}' } },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7 } },
  { type: 'message_stop' },
];
const CHUNKS = [
  { choices: [{ delta: { role: 'assistant', content: 'We', reasoning: 'hm' } }] },
  { choices: [{ delta: { tool_calls: [{ index: 0, id: 'c1', function: { name: 'look', arguments: '{}' } }] } }] },
  { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
  { choices: [], usage: { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } } },
];
const RESPONSES = [
  { type: 'response.output_text.delta', delta: 'Well.' },
  {
    type: 'response.output_item.added',
    output_index: 1,
    item: { type: 'function_call', call_id: 'c1', name: 'look' },
  },
  { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"path":"a"}' },
  {
    type: 'response.output_item.done',
    output_index: 1,
    item: { type: 'function_call', call_id: 'c1', name: 'look' },
  },
  { type: 'response.completed', response: { usage: { input_tokens: 9, output_tokens: 2 } } },
];

/** Answers whatever is asked of a vendor with the bytes, as its stream. */
async function answering(bytes: Uint8Array, ask: () => Promise<unknown>): Promise<void> {
  const real = globalThis.fetch;
  const headers = { 'content-type': 'text/event-stream' };
  globalThis.fetch = () => Promise.resolve(new Response(Uint8Array.from(bytes), { headers }));
  try {
    await ask();
  } finally {
    globalThis.fetch = real;
  }
}

const model = { key: () => 'k' };
const chat = openai({ ...model, baseUrl: 'http://127.0.0.1:9/v1' });
const responses = openai(model);
const messages = anthropic(model);
const signal = new AbortController().signal;

const PATCH = [
  '*** Begin Patch',
  '*** Update File: docs/a.md',
  '@@ Head',
  ' first',
  '-second',
  '+zweite',
  '*** Add File: b',
  '+new',
  '*** End Patch',
].join('\n');
const UNIFIED = '--- a/docs/a.md\n+++ b/docs/a.md\n@@ -1,3 +1,3 @@ Head\n first\n-second\n+zweite\n third\n';
const OUTPUT = [
  ' FAIL  src/a.test.ts > adds\nAssertionError: expected 1 to be 2\n ❯ src/a.test.ts:3:5\n Tests  1 failed | 2 passed (3)\n',
  '=== FAILURES ===\n____ test_add ____\n>   assert 1 == 2\nE   assert 1 == 2\ntests/test_a.py:3: AssertionError\n== 1 failed, 2 passed in 0.1s ==\n',
  '--- FAIL: TestAdd (0.00s)\n    a_test.go:3: wrong\nFAIL\nok  \tpkg\t0.1s\n',
  "src/a.ts(3,5): error TS2322: Type 'a' is not assignable.\nsrc/a.ts:3:5: warning: unused\n",
  'test result: FAILED. 2 passed; 1 failed; 0 ignored\nthread main panicked at src/a.rs:3:5:\nwrong\n',
];

export const programTargets: readonly Target[] = [
  {
    name: 'git-outputs',
    form: 'text',
    words: ['\0', '\n', '\t', ':100644', 'committer-time 99999999999999', '999999999', '+292277026-01-01T00:00:00Z'],
    seeds: () => GIT.map(([output], number) => bytesOf(`${number}${output}`)),
    decode(bytes) {
      const text = textOf(bytes);
      GIT[Number(text[0]) || 0]?.[1](text.slice(1));
    },
    isRefusal,
  },
  {
    name: 'scripts',
    form: 'json-lines',
    words: ['{{', '}}', '"turn":', '// '],
    seeds: () => [bytesOf(SCRIPT)],
    decode(bytes) {
      for (const line of readScript(textOf(bytes))) {
        try {
          play(line, REQUEST, undefined);
        } catch (error) {
          if (!isFault(error)) throw error;
        }
      }
    },
    isRefusal: (error) =>
      error instanceof Error && /^(a script begins with|line \d+ of the script)/.test(error.message),
  },
  {
    name: 'anthropic-streams',
    form: 'json-lines',
    seeds: () => [bytesOf(MESSAGES.map((one) => event(one, one.type)).join(''))],
    decode: (bytes) => answering(bytes, () => messages.turn(REQUEST, { signal })),
    isRefusal: isFault,
    perByte: 1 << 14,
  },
  {
    name: 'chat-streams',
    form: 'json-lines',
    seeds: () => [bytesOf([...CHUNKS.map((one) => event(one)), 'data: [DONE]\n\n'].join(''))],
    decode: (bytes) => answering(bytes, () => chat.turn(REQUEST, { signal })),
    isRefusal: isFault,
    perByte: 1 << 14,
  },
  {
    name: 'response-streams',
    form: 'json-lines',
    seeds: () => [bytesOf(RESPONSES.map((one) => event(one, one.type)).join(''))],
    decode: (bytes) => answering(bytes, () => responses.turn(REQUEST, { signal })),
    isRefusal: isFault,
    perByte: 1 << 14,
  },
  {
    name: 'spoken-calls',
    form: 'text',
    words: ['```calls\n', '\n```\n', '{"name":"look","input":', '\\"', '"', ',]', '[', '{'],
    seeds: () => [bytesOf('I look.\n```calls\n[{"name":"look","input":{"path":"a",}}]\n```\n'), bytesOf('{"a":"b"},')],
    decode(bytes) {
      const text = textOf(bytes);
      jsonMeant(text);
      toolMeant(text, ['look', 'write']);
      const reply = new Reply(REQUEST);
      reply.addText(text);
      readText(text, reply);
      reply.finish();
    },
    isRefusal: isFault,
  },
  {
    name: 'patches',
    form: 'text',
    words: ['*** Update File: ', '*** Delete File: ', '*** Move to: ', '@@ ', '@@ -1,3 +1,3 @@', '\n+', '\n-', '\n '],
    seeds: () => [PATCH, UNIFIED].map(bytesOf),
    decode(bytes) {
      const parsed = parsePatch(textOf(bytes));
      if ('fault' in parsed) return;
      for (const file of parsed.files) if ('hunks' in file) patchText('first\nsecond\nthird\n', file.hunks);
    },
    isRefusal: never,
  },
  {
    name: 'program-outputs',
    form: 'text',
    words: [
      'FAIL',
      'Error:',
      ':3:5',
      '❯ ',
      '\x1b[31m',
      '    at f (a.ts:1:2)',
      ' passed',
      ' failed',
      '/project/a.ts',
      '"',
    ],
    seeds: () => OUTPUT.map(bytesOf),
    decode(bytes) {
      const text = textOf(bytes);
      failuresIn(text, '/project');
      lintResults(text, '/project');
      testCounts(text);
      descriptionIn(`---\n${text}\n---\n`);
      descriptionIn(text);
    },
    isRefusal: never,
  },
  {
    name: 'notices',
    form: 'json',
    seeds: () => [bytesOf('{"issue":{"number":4},"object_kind":"issue","object_attributes":{"iid":3}}')],
    decode: (bytes) => void readNotice('gitlab', new Headers(), bytes),
    isRefusal: never,
  },
];
