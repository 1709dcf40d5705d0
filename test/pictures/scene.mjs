/**
 * A studio whose agents follow a script, as the pictures show it: one change waits for a review, one question for an answer,
 * one unit of work has failed.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { newTokens, startStudio } from '@weft/studio';

const run = promisify(execFile);

const FILES = {
  'package.json': '{ "name": "calculator", "type": "module", "private": true, "scripts": { "test": "node --test" } }\n',
  'src/index.js': "export { add } from './add.js';\n",
  'src/add.js': [
    '/** Adds two numbers. */',
    'export function add(a, b) {',
    '  const sum = a + b;',
    '  return sum;',
    '}',
    '',
  ].join('\n'),
};

const CHANGED = [
  '/** Adds any number of numbers; what is no number is refused. */',
  'export function add(...numbers) {',
  '  const wrong = numbers.find((one) => !Number.isFinite(one));',
  '  if (wrong !== undefined) throw new TypeError(`${wrong} is no number`);',
  '  const sum = numbers.reduce((all, one) => all + one, 0);',
  '  return sum;',
  '}',
  '',
].join('\n');

const call = (name, input) => ({ name: `svc_v1_${name}`, input });

/** What agents do, by the first words of their goal: turns in order, the last again and again. */
const SCRIPT = {
  'Add any number': [
    {
      text: 'I look at what is there first.',
      calls: [call('workspace_read', { path: 'src/add.js' }), call('workspace_read', { path: 'package.json' })],
    },
    {
      text: 'Numbers are summed up, and what is none is refused before anything is added.',
      calls: [call('workspace_write', { path: 'src/add.js', content: CHANGED })],
    },
    {
      calls: [
        call('merge_propose', {
          sourceBranch: 'mine',
          targetBranch: 'main',
          summary: 'add() takes any number of numbers, and refuses what is none',
        }),
      ],
    },
  ],
  'Show results': [
    {
      calls: [
        call('clarification_request', {
          question: 'How many decimals should a result be shown with?',
          context: 'The tests say nothing about it, and prices elsewhere have two.',
          options: ['2', '3', 'as many as there are'],
        }),
      ],
    },
  ],
  'Divide two': [{ calls: [call('workspace_exists', { path: 'src/divide.js' })] }],
};

function provider() {
  const taken = new Map();
  return {
    name: 'scripted',
    turn({ messages }) {
      const first = messages.find(({ role }) => role === 'user')?.text ?? '';
      const [goal, turns] = Object.entries(SCRIPT).find(([words]) => first.includes(words)) ?? ['', [{}]];
      const at = taken.get(goal) ?? 0;
      taken.set(goal, at + 1);
      const { text = '', calls = [] } = turns[Math.min(at, turns.length - 1)];
      const named = calls.map((one, place) => ({ ...one, callId: `call-${messages.length}-${place}` }));
      const usage = { inputTokens: 4_200, cachedInputTokens: 3_000, outputTokens: 310 };
      return Promise.resolve({ text, calls: named, stop: calls.length === 0 ? 'end' : 'calls', usage });
    },
  };
}

export const GOALS = [
  'Add any number of numbers, and refuse what is none',
  'Show results with a fixed number of decimals',
  'Divide two numbers',
];

/** Kind of attention that each goal comes to. */
const ENDS = ['review', 'answer', 'failed'];

/** Asked this often, a tenth of a second apart, whether a goal has come to its end. */
const PATIENCE = 600;

async function calculator(folder) {
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const git = (...args) =>
    run('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@localhost', ...args], { cwd: folder });
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '--all');
  await git('commit', '--quiet', '--message=A calculator that adds');
}

/** Starts it and plays the goals. `link()` lets one page in. */
export async function openScene() {
  const folder = await mkdtemp(join(tmpdir(), 'weft-pictures-'));
  const repository = join(folder, 'calculator');
  await calculator(repository);
  const host = createHost({ store: memoryStore() });
  const tokens = newTokens();
  const provided = provider();
  const studio = await startStudio({
    host,
    tokens,
    folder,
    roots: [folder],
    listen: '127.0.0.1:0',
    confinement: { unconfined: true },
    log: () => undefined,
    agents: { models: () => ({ provider: provided, model: 'a-model' }) },
  });
  const close = async () => {
    await studio.close();
    await host.close();
    await rm(folder, { recursive: true });
  };
  const ask = async (method, path, body) => {
    const headers = { authorization: `Bearer ${tokens.admin}`, 'content-type': 'application/json' };
    const answer = await fetch(`${studio.url}/${path}`, { method, headers, body: body && JSON.stringify(body) });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };
  try {
    const { repositoryId } = await ask('POST', 'repositories', { path: repository, label: 'calculator' });
    await ask('PUT', 'agent-profiles/worker', { maxIterations: 6 });
    for (const [at, goal] of GOALS.entries()) {
      await ask('POST', 'goals/run', { goal, repositoryId, shape: 'single' });
      for (let asked = 0; ; asked++) {
        const { items } = await ask('GET', 'attention');
        if (items.some(({ kind }) => kind === ENDS[at])) break;
        if (asked === PATIENCE) throw new Error(`"${goal}" did not come to ${ENDS[at]}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { origin: studio.url.replace(/\/studio$/, ''), link: () => studio.link(), ask, close };
}
