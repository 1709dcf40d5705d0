/** Bounds that the page about security names are those that hold: each figure is made of its constant, and looked for in the sentence. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { REST_BODY, TOOL_BODY } from './entry/body.js';
import { LISTENER_LIMITS } from './listener.js';
import { NOTICE_BYTES } from './webhooks/forge-hooks.js';
import { TOOL_SESSION_LIMITS } from './tools/tool-sessions.js';
import { RATE_LIMIT } from '../studio.js';
import { WHOLE_LIMITS } from '../workspace/sandbox/whole-limits.js';

const MIB = 2 ** 20;
const count = (number: number): string => number.toLocaleString('en');
const { most, mostOfToken, mostStreams, mostWaiting, idleMs } = TOOL_SESSION_LIMITS;
const { headersMs, requestMs, idleMs: keptMs, mostConnections } = LISTENER_LIMITS;

it.each([
  [
    'sessions of tools',
    `at most ${count(most)}, ${mostOfToken} of a token, with ${mostStreams} streams each and ${mostWaiting / MIB} MiB`,
  ],
  ['idle sessions', `idle ones end after ${idleMs / 60_000} minutes`],
  ['bodies', `at most ${REST_BODY.bytes / MIB} MiB and ${count(REST_BODY.values)} values`],
  ['bodies of tools', `those of tools ${TOOL_BODY.bytes / MIB} MiB and ${count(TOOL_BODY.values)};`],
  ['notices', `notices of forges have at most ${NOTICE_BYTES / MIB} MiB;`],
  ['requests', `${headersMs / 1000} s for its head and ${requestMs / 1000} s in all`],
  ['connections', `kept ${keptMs / 1000} s, and ${count(mostConnections)} are open at once`],
  ['calls', `${RATE_LIMIT.perSecond} requests a second** for each token, ${RATE_LIMIT.burst} at once`],
  ['programs as a whole', `at ${count(WHOLE_LIMITS.processes)} processes, at four hours of a processor`],
])('of %s', async (_of, said) => {
  const page = await readFile(join(import.meta.dirname, '../../../docs/security.md'), 'utf8');
  expect(page.replace(/\s+/g, ' ')).toContain(said);
});
