/** `weft eval` with a scripted model: cases are worked on for real, judged by their hidden tests, kept and compared. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { CASES, type EvalReport } from '@weft/studio/efficacy';
import { expect, it, onTestFinished } from 'vitest';
import { blocksOf } from '../docs/page-code.js';
import { anthropicWire } from '../vendors/anthropic-wire.js';
import { type Said, type Seen, openVendorServer } from '../vendors/vendor.js';

const WEFT = fileURLToPath(new URL('../../cli/bin/weft.js', import.meta.url));
const NAME = 'pages-js';

async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Where the case is to be mended, and how. */
function mend(): { readonly path: string; readonly old: string; readonly now: string } {
  const one = CASES.find(({ name }) => name === NAME)!;
  const [fix] = one.fix;
  if (!fix || !('find' in fix)) throw new Error('the case has changed');
  const [path] = Object.entries(one.files).find(([, text]) => text.includes(fix.old))!;
  return { path, old: fix.old, now: fix.now };
}

/** Model that mends the case and approves what it is to review, as a vendor's server asks it. */
function mending(): (seen: Seen) => Said {
  const { path, old, now } = mend();
  const offer = { sourceBranch: 'mine', targetBranch: 'main', summary: 'Mended', changeDescription: 'It is.' };
  const steps: Said[] = [
    { calls: [{ name: 'view', input: { path } }] },
    { calls: [{ name: 'edit', input: { path, edits: [{ old, new: now }] } }] },
    { calls: [{ name: 'test', input: {} }] },
    { calls: [{ name: 'svc_v1_merge_propose', input: offer }] },
  ];
  const review = { decision: 'Approved', verificationResults: 'Read.' };
  return ({ turn, tools }) => {
    const isReview = !tools.includes('svc_v1_merge_propose');
    if (isReview) return { calls: [{ name: 'svc_v1_merge_review', input: review }] };
    return steps[turn] ?? { text: 'Done.' };
  };
}

/** File of models whose script mends a case, or does what looks like it. */
async function modelsFile(folder: string, isRight: boolean): Promise<string> {
  const { path, old, now } = mend();
  const put = isRight ? now : `${old} // mended`;
  const worker = { when: { role: 'worker' } };
  const lines = [
    { script: 1 },
    { ...worker, calls: [{ name: 'view', input: { path } }] },
    { ...worker, calls: [{ name: 'edit', input: { path, edits: [{ old, new: put }] } }] },
    { ...worker, calls: [{ name: 'test', input: {} }] },
    {
      ...worker,
      calls: [
        {
          name: 'svc_v1_merge_propose',
          input: {
            sourceBranch: 'mine',
            targetBranch: 'main',
            summary: 'Mended',
            changeDescription: 'It is.',
            goal: 'it',
          },
        },
      ],
    },
    { ...worker, text: 'Done.', repeat: true },
    {
      when: { role: 'reviewer' },
      calls: [{ name: 'svc_v1_merge_review', input: { decision: 'Approved', verificationResults: 'Read.' } }],
      repeat: true,
    },
  ];
  const [script, models] = [join(folder, `${isRight}.jsonl`), join(folder, `${isRight}.json`)];
  await writeFile(script, lines.map((line) => JSON.stringify(line)).join('\n') + '\n');
  await writeFile(models, JSON.stringify({ model: { provider: 'scripted' }, script }));
  return models;
}

function weft(cwd: string, ...args: readonly string[]): Promise<Ended> {
  return weftWith({}, cwd, ...args);
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function weftWith(environment: NodeJS.ProcessEnv, cwd: string, ...args: readonly string[]): Promise<Ended> {
  const env = { ...process.env, ...environment };
  const child = spawn(process.execPath, [WEFT, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (bytes: Buffer) => (out += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (err += bytes.toString()));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })));
}

it('tries a model on cases, keeps what it came to, and holds two runs against each other', async () => {
  const folder = await tempFolder();
  const tried = async (isRight: boolean, file: string): Promise<EvalReport> => {
    const models = await modelsFile(folder, isRight);
    const args = ['--cases', NAME, '--suite', 'all', '--models', models, '--save', file, '--unconfined'];
    const { code, out, err } = await weft(folder, 'eval', ...args);
    expect([code, err]).toEqual([0, '']);
    // The word occurs in more names than one.
    expect(out).toContain(`${NAME} (plain): ${isRight ? 'solved' : 'landed, and wrong'}`);
    return JSON.parse(await readFile(join(folder, file), 'utf8')) as EvalReport;
  };
  const wrong = await tried(false, 'wrong.json');
  const right = await tried(true, 'right.json');
  const plain = ({ outcomes }: EvalReport) => outcomes.find(({ name }) => name === NAME);
  expect(plain(wrong)).toMatchObject({ isRight: false, hasLanded: true, status: 'Merged' });
  expect(plain(right)).toMatchObject({ isRight: true, hasLanded: true, status: 'Merged', failures: [] });
  expect(plain(right)?.turns).toBeGreaterThan(3);
  expect(right).toMatchObject({ format: 1, suite: 'all', isPart: false });
  const { out } = await weft(folder, 'eval', 'compare', 'wrong.json', 'right.json');
  expect(out).toMatch(new RegExp(`solved now: .*${NAME}`));
  const back = await weft(folder, 'eval', 'compare', 'right.json', 'wrong.json', '--json');
  expect((JSON.parse(back.out) as { lost: string[] }).lost).toContain(NAME);
});

it("asks a vendor's model with a key of one's own, which stands in no report", async () => {
  const folder = await tempFolder();
  const key = 'k'.repeat(40);
  const wire = anthropicWire();
  const came = new Set<unknown>();
  const answer: typeof wire.answer = (body, headers, model) => {
    came.add(headers['authorization']);
    return wire.answer(body, headers, model);
  };
  const vendor = await openVendorServer({ ...wire, answer }, mending());
  onTestFinished(() => vendor.close());
  const named = { provider: 'anthropic', model: 'claude-opus-5-5', baseUrl: vendor.url, credentialRef: 'mine' };
  const models = { model: named, keys: { mine: { env: 'KEY_OF_MINE' } } };
  await writeFile(join(folder, 'models.json'), JSON.stringify(models));
  const args = ['--models', 'models.json', '--save', 'kept.json'];
  const environment = { KEY_OF_MINE: key };
  const { code, out, err } = await weftWith(
    environment,
    folder,
    ...['eval', ...args, '--cases', NAME, '--suite', 'all', '--minutes', '2', '--unconfined'],
  );
  expect([code, err, vendor.refusals()]).toEqual([0, '', []]);
  expect([...came]).toEqual([`Bearer ${key}`]);
  const kept = await readFile(join(folder, 'kept.json'), 'utf8');
  expect(kept + out).not.toContain(key);
  const { outcomes } = JSON.parse(kept) as EvalReport;
  expect(outcomes.find(({ name }) => name === NAME)).toMatchObject({ isRight: true, status: 'Merged' });
  expect(outcomes.find(({ name }) => name === NAME)?.tokens).toBeGreaterThan(1000);
});

it('does what docs/guide/agents.md says, with a scripted model in place of each that is named there', async () => {
  const folder = await tempFolder();
  const commands = blocksOf('docs/guide/agents.md', 'sh').join('').trimEnd().split('\n');
  // Other tests run the others: own-key.system.test.ts, tools-of-others.test.ts, memory-words.test.ts.
  const lines = commands.filter((line) => /^weft eval/.test(line));
  expect(lines).toHaveLength(3);
  for (const [at, line] of lines.entries()) {
    const models = await modelsFile(folder, at > 0);
    const [program, ...said] = line.replace(/ #.*/, '').split(' ');
    expect(program).toBe('weft');
    const model = said.indexOf('--model');
    if (model >= 0) said.splice(model, 2, '--models', models, '--cases', NAME, '--suite', 'all', '--unconfined');
    const { code, out, err } = await weft(folder, ...said);
    expect([code, err]).toEqual([0, '']);
    if (at === 2) expect(out).toMatch(new RegExp(`solved now: .*${NAME}`));
  }
});

it.each([
  [['eval'], /name the model to be tried: --model provider\/name/],
  [['eval', '--model', 'scripted', '--minutes', 'ten'], /--minutes takes a number from 1 to 9999, not ten/],
  [
    ['eval', 'compare', 'none.json', 'none.json'],
    /cannot read the report none\.json \(ENOENT\); name one that weft eval has kept/,
  ],
] as const)('%j is refused with what to do', async (args, words) => {
  const { code, err } = await weft(await tempFolder(), ...args);
  expect(code).toBe(2);
  expect(err).toMatch(words);
});
