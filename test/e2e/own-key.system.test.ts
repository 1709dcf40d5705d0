/**
 * The first goal with a key of one's own, as docs/guide/agents.md has it: its commands are typed, and the server in place of the vendor
 * refuses what the vendor refuses. What stands in for the model knows the answer and has to find everything else.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CASES } from '@weft/studio/efficacy';
import { expect, it, onTestFinished } from 'vitest';
import { play } from '../../bench/efficacy/policies.js';
import { checkout } from '../architecture/source-tree.js';
import { blocksOf, commandsIn, freePort } from '../docs/page-code.js';
import { tempFolder } from '../support/temp-folder.js';
import { anthropicWire } from '../vendors/anthropic-wire.js';
import { responsesWire } from '../vendors/responses-wire.js';
import { type Wire, openVendorServer } from '../vendors/vendor.js';

const run = promisify(execFile);
const one = CASES.find(({ name }) => name === 'pages-js')!;
const PRICE = { input: 4, output: 20, cachedInput: 0.2, cacheWrite: 5 };
const [begin = '', work = ''] = blocksOf('docs/guide/agents.md', 'sh');
const [key = '', up = ''] = commandsIn(begin);
const [goal = '', review = '', cost = ''] = commandsIn(work);

it('comes from nothing to a change that has landed, and says what that has cost', async () => {
  const {
    type,
    run: begins,
    landed,
  } = await begun({
    lines: [key, up],
    wire: anthropicWire(),
    models: { prices: { 'claude-opus-5-5': PRICE } },
  });
  await landed(await begins(goal));
  const [, dollars = ''] = /^\S+ +\d+ +(\d\.\d\d)/m.exec(await type(cost)) ?? [];
  expect(Number(dollars)).toBeGreaterThan(0);
  expect(Number(dollars)).toBeLessThan(2);
});

it('comes as far with a key of OpenAI, whose limit is one of tokens, as it is told', async () => {
  const other = (line: string): string => line.replace('anthropic/claude-opus-5-5', 'openai/gpt-5.6-sol');
  expect(begin).toContain('openai/gpt-5.6-sol');
  const { run: begins, landed } = await begun({
    lines: [key.replace('ANTHROPIC_', 'OPENAI_'), other(up)],
    wire: responsesWire(),
    // OpenAI's own server is asked so.
    models: { models: { 'gpt-5.6-sol': { wire: 'responses' } } },
  });
  const refused = await begins(goal).catch((error: { stderr: string }) => error.stderr);
  const [limit = ''] = /--max-tokens \d+/.exec(refused) ?? [];
  expect(limit).not.toBe('');
  await landed(await begins(goal.replace(/--max-cost \d+/, limit)));
});

interface Begun {
  /** How the host is started. */
  readonly lines: readonly [key: string, up: string];
  readonly wire: Wire;
  /** File of models. */
  readonly models: object;
}

/** A project, and a host with a vendor that knows what is to be done there. */
async function begun({ lines: [key, up], wire, models }: Begun) {
  const { model, stuck } = play('oracle', one);
  const vendor = await openVendorServer(wire, model);
  onTestFinished(() => vendor.close());
  const folder = await tempFolder();
  const project = join(folder, 'my-project');
  for (const [path, text] of Object.entries(one.files)) {
    await mkdir(dirname(join(project, path)), { recursive: true });
    await writeFile(join(project, path), text);
  }
  const git = (...args: string[]) => run('git', ['-C', project, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '.');
  await git('commit', '--quiet', '--message=first');
  await writeFile(join(folder, 'models.json'), JSON.stringify(models));
  const programs = join(folder, 'bin');
  await mkdir(programs);
  const weft = `exec "${process.execPath}" "${join(checkout, 'cli/bin/weft.js')}" "$@"`;
  await writeFile(join(programs, 'weft'), `#!/bin/sh\n${weft}\n`, { mode: 0o755 });
  const environment = {
    ...process.env,
    PATH: `${programs}:${process.env['PATH']}`,
    XDG_STATE_HOME: join(folder, 'state'),
    // In place of the vendor's own server.
    WEFT_MODEL_URL: vendor.url,
    WEFT_MODELS: join(folder, 'models.json'),
    WEFT_LISTEN: `127.0.0.1:${await freePort()}`,
    WEFT_STUDIO_LISTEN: `127.0.0.1:${await freePort()}`,
  };

  const server = spawn('sh', ['-c', `${key}\nexec ${up}`], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  onTestFinished(async () => {
    server.kill();
    await ended;
  });
  let printed = '';
  server.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  await expect.poll(() => printed).toMatch(/^open +http/m);

  const type = async (line: string) => (await run('sh', ['-c', line], { cwd: project, env: environment })).stdout;
  return {
    type,
    // Nobody is at this terminal to be asked.
    run: (line: string) => type(`${line.replace(/"[^"]*"/, () => `"${one.goal}"`)} --yes`),
    /** Approves what a goal has proposed, and sees that it is there. */
    async landed(said: string): Promise<void> {
      expect(stuck).toEqual([]);
      expect(vendor.refusals()).toEqual([]);
      const [, proposal = ''] = /weft review (MP-\w+)/.exec(said) ?? [];
      expect(review).toBe('weft review');
      expect(await type(`weft approve ${proposal}`)).toContain('has landed on main');
      const [fix] = one.fix;
      if (!fix || !('now' in fix)) throw new Error('the case has changed');
      const path = Object.keys(one.files).find((name) => one.files[name]!.includes(fix.old))!;
      expect(await readFile(join(project, path), 'utf8')).toContain(fix.now);
    },
  };
}
