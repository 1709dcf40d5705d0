/** `create-weft` as a stranger has it: packed, in a home with nothing, and what it makes is installed, run and used in Chromium. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { checkout } from '../architecture/source-tree.js';
import { browser } from '../support/browsers/browser.js';

const run = promisify(execFile);
const PACKED = ['core', 'client/web', 'server', 'client/create'];

interface Stranger {
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly create: string;
  readonly packages: string;
}

/** A home that has nothing but the packed packages, and `create-weft` unpacked. */
async function stranger(): Promise<Stranger> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-create-'));
  const packages = join(folder, 'packages');
  await mkdir(packages);
  const quiet = ['--ignore-scripts', '--loglevel=error', '--pack-destination', packages];
  await run('npm', ['pack', ...quiet, ...PACKED.map((name) => `./${name}`)], { cwd: checkout });
  await run('tar', ['-xzf', join(packages, 'create-weft-0.1.0.tgz'), '-C', folder]);
  const kept = ['PATH', 'npm_config_registry', 'npm_config_cache', 'NPM_CONFIG_REGISTRY', 'NPM_CONFIG_CACHE'];
  const inherited = kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  const env = { ...(Object.fromEntries(inherited) as Record<string, string>), HOME: folder };
  return { folder, env, create: join(folder, 'package', 'bin', 'create.js'), packages };
}

async function outcome(of: Stranger, ...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const { folder: cwd, env, create } = of;
  return run(process.execPath, [create, ...args], { cwd, env }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      out: error.stdout,
      err: error.stderr,
    }),
  );
}

async function install(at: string, env: Record<string, string>): Promise<void> {
  const quiet = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', ['install', ...quiet], { cwd: at, env, timeout: 120_000 });
}

function start(at: string, env: Record<string, string>): { readonly child: ChildProcess; lines(): Promise<string> } {
  const child = spawn(process.execPath, ['dev.mjs'], { cwd: at, env: { ...env, PORT: '0', ROOMS_PORT: '0' } });
  onTestFinished(() => void child.kill('SIGKILL'));
  let failed = '';
  child.stderr.on('data', (text) => (failed += String(text)));
  const lines = createInterface(child.stdout);
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`it ended with ${code}: ${failed}`)));
  ended.catch(() => undefined);
  return { child, lines: async () => String(await Promise.race([once(lines, 'line'), ended])) };
}

let who: Stranger;
beforeAll(async () => {
  who = await stranger();
}, 60_000);
afterAll(() => rm(who.folder, { recursive: true, force: true }));

describe('create-weft', () => {
  it('makes a page that two people write on', async () => {
    const made = await outcome(who, 'my-notes', '--packages', 'packages');
    expect(made).toEqual({
      code: 0,
      out: 'my-notes is a page without a framework. Next:\n\n  cd my-notes\n  npm install\n  npm run dev\n',
      err: '',
    });
    const [one, two, child] = await open('my-notes');
    await one.getByLabel('Notes').fill('Bring bread');
    await expect.poll(() => two.getByLabel('Notes').inputValue()).toBe('Bring bread');
    await expect.poll(() => two.locator('weft-inspector #panel').innerText()).toContain('body');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('makes a page with React', async () => {
    expect(await outcome(who, 'tasks', '--template', 'react', '--packages', 'packages')).toMatchObject({ code: 0 });
    const [one, two] = await open('tasks');
    await one.getByLabel('New task').fill('Plan');
    await one.getByRole('button', { name: 'Add' }).click();
    await two.getByRole('checkbox', { name: 'Plan' }).check();
    await expect.poll(() => one.getByRole('checkbox', { name: 'Plan' }).isChecked()).toBe(true);
  });

  it('makes programs that share state', async () => {
    expect(await outcome(who, 'work', '--template=node', '--packages=packages')).toMatchObject({ code: 0 });
    const at = join(who.folder, 'work');
    await install(at, who.env);
    const { stdout } = await run(process.execPath, ['dev.mjs'], { cwd: at, env: { ...who.env, ROOMS_PORT: '0' } });
    const [first = '', ...said] = stdout.trim().split('\n');
    expect(first).toMatch(/^Rooms are at ws:/);
    // Whoever is done first says so first.
    expect(said.sort()).toEqual([
      expect.stringMatching(/^ann: \{"tasks\/build":.*"tasks\/plan":.*"tasks\/show":/),
      expect.stringMatching(/^ben: \{"tasks\/build":.*"tasks\/plan":.*"tasks\/show":/),
    ]);
    expect(JSON.parse(await readFile(join(at, 'package.json'), 'utf8'))).toMatchObject({
      name: 'work',
      dependencies: { '@weft/client': 'file:packages/weft-client-0.1.0.tgz' },
    });
  });

  it('refuses a folder that is not empty, and what it does not know, and writes nothing', async () => {
    await mkdir(join(who.folder, 'full'));
    await writeFile(join(who.folder, 'full', 'mine.txt'), 'mine');
    const before = (await readdir(who.folder)).toSorted();
    for (const [args, message] of [
      [['full', '--packages', 'packages'], 'full is not empty: name a new folder, or an empty one'],
      [
        ['new', '--template', 'angular', '--packages', 'packages'],
        'there is no template angular: take one of vanilla, react, node',
      ],
      [['new', '--template', 'constructor'], 'there is no template constructor: take one of vanilla, react, node'],
      [['new', '--packages', 'nowhere'], 'there is no folder nowhere'],
      [['new', '--packages', 'full'], 'has no weft-client-0.1.0.tgz: pack it there with npm pack'],
      [['new'], 'say where the packed packages of Weft are, with --packages: no registry has them'],
      [['one', 'two'], 'one folder, not 2: one, two'],
      [['--colour'], "Unknown option '--colour'"],
      [[], 'say where the application goes'],
    ] as const) {
      const { code, err } = await outcome(who, ...args);
      expect([code, err]).toEqual([2, expect.stringContaining(message) as string]);
    }
    expect((await readdir(who.folder)).toSorted()).toEqual(before);
    expect(await readdir(join(who.folder, 'full'))).toEqual(['mine.txt']);
    expect(await outcome(who, '--help')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Usage: create-weft <folder>/) as string,
    });
  });

  it('packs what it needs in a checkout', async () => {
    const create = join(checkout, 'client/create/bin/create.js');
    await run(process.execPath, [create, 'from-checkout'], { cwd: who.folder, env: who.env });
    expect((await readdir(join(who.folder, 'from-checkout/packages'))).toSorted()).toEqual(
      ['client', 'core', 'server'].map((name) => `weft-${name}-0.1.0.tgz`),
    );
  });
});

/** Installs what was made, starts it, and opens it for two people. */
async function open(name: string): Promise<[Page, Page, ChildProcess]> {
  const at = join(who.folder, name);
  await install(at, who.env);
  const { child, lines } = start(at, who.env);
  const address = /http:\S+/.exec(await lines())![0];
  const chromium = await browser();
  const page = async (): Promise<Page> => {
    const opened = await (await chromium.newContext()).newPage();
    await opened.goto(address);
    return opened;
  };
  return [await page(), await page(), child];
}
