// Pictures of the studio's page for the guide, from a studio whose agents follow a script. `npm run docs:pictures`
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { newTokens, startStudio } from '@weft/studio';
import { chromium } from 'playwright-core';

const run = promisify(execFile);
const pictures = import.meta.dirname;

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

const folder = await mkdtemp(join(tmpdir(), 'weft-pictures-'));
const repository = join(folder, 'calculator');
for (const [path, text] of Object.entries(FILES)) {
  await mkdir(dirname(join(repository, path)), { recursive: true });
  await writeFile(join(repository, path), text);
}
const git = (...args) =>
  run('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@localhost', ...args], { cwd: repository });
await git('init', '--quiet', '--initial-branch=main');
await git('add', '--all');
await git('commit', '--quiet', '--message=A calculator that adds');

const host = createHost({ store: memoryStore() });
const tokens = newTokens();
const models = () => ({ provider: provided, model: 'a-model' });
const provided = provider();
const studio = await startStudio({
  host,
  tokens,
  folder,
  roots: [folder],
  listen: '127.0.0.1:0',
  confinement: { unconfined: true },
  log: () => undefined,
  agents: { models },
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
try {
  const ask = async (method, path, body) => {
    const headers = { authorization: `Bearer ${tokens.admin}`, 'content-type': 'application/json' };
    const answer = await fetch(`${studio.url}/${path}`, { method, headers, body: body && JSON.stringify(body) });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };
  const { repositoryId } = await ask('POST', 'repositories', { path: repository, label: 'calculator' });
  await ask('PUT', 'agent-profiles/worker', { maxIterations: 6 });
  const goals = [
    'Add any number of numbers, and refuse what is none',
    'Show results with a fixed number of decimals',
    'Divide two numbers',
  ];
  const kinds = ['review', 'answer', 'failed'];
  for (const [at, goal] of goals.entries()) {
    await ask('POST', 'goals/run', { goal, repositoryId, shape: 'single' });
    for (;;) {
      const { items } = await ask('GET', 'attention');
      if (items.some(({ kind }) => kind === kinds[at])) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  const page = await browser.newPage({
    viewport: { width: 1400, height: 760 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  const take = async (name, wanted) => {
    await wanted.first().waitFor();
    await page.screenshot({ path: join(pictures, `${name}.png`) });
  };
  await page.goto(studio.link());
  await take('inbox', page.locator('[data-kind=answer]'));
  await page.getByRole('link', { name: 'Look at the changes' }).click();
  await take('review', page.locator('.diff-row .is-k')); // its grammar is there by then
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.getByRole('link', { name: 'work unit', exact: true }).click();
  await page.locator('.call').nth(2).click();
  await take('unit', page.locator('.call[open] pre'));
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(`${studio.url.replace(/\/studio$/, '')}/time`);
  await take('time', page.getByRole('link', { name: goals[0] }));
  await page.setViewportSize({ width: 390, height: 760 });
  await page.goto(`${studio.url.replace(/\/studio$/, '')}/inbox`);
  await take('phone', page.locator('[data-kind=answer]'));
} finally {
  await browser.close();
  await studio.close();
  await host.close();
  await rm(folder, { recursive: true });
}
