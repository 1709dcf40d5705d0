import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAlive } from '../../../testing/is-alive.js';
import { tempFolder } from '../../../testing/temp-folder.js';
import type { Environment, ProgramEnd, ProgramRun } from './program-run.js';
import { runDirectly, runProgram } from './run-program.js';

const PATH = process.env['PATH'] ?? '';
const base = { PATH, LC_ALL: 'C' };
const program = process.execPath;

interface Told {
  readonly end: ProgramEnd;
  readonly out: Buffer;
  readonly err: Buffer;
}

type Start = typeof runProgram;

async function told(start: Start, given: Partial<ProgramRun>): Promise<Told> {
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  const end = await start({
    program: 'sh',
    args: [],
    folder: '/',
    base,
    environment: {},
    input: '',
    onOut: (bytes) => out.push(Buffer.from(bytes)),
    onErr: (bytes) => err.push(Buffer.from(bytes)),
    ...given,
  }).ended;
  return { end, out: Buffer.concat(out), err: Buffer.concat(err) };
}

/** Runs a script of a POSIX shell, started by a shell that waits, with its own process number in front. */
async function script(text: string, given: Partial<ProgramRun> = {}): Promise<Told> {
  return told(runProgram, { args: ['-c', text], ...given });
}

/** Process of the shell that starts programs with this environment now. */
async function shellOf(environment: Environment): Promise<number> {
  return Number((await script('echo $PPID', { base: environment })).out.toString());
}

describe('a program that is started by a shell', () => {
  it('is given its words, variables, input and folder as they are', async () => {
    const folder = join(await tempFolder(), 'it\'s a $HOME `id` "folder"\n*ü');
    await mkdir(folder);
    const report = `process.stdin.toArray().then((all) => process.stdout.write(JSON.stringify([
      process.argv.slice(1), process.env, process.cwd(), Buffer.concat(all).toString('base64')])))`;
    const odd = fc.constantFrom("'", '"', '\\', '$', '`', '\n', '-', '%', '!', '*', ' ', '\x01', '\x81', '\x88', 'é');
    const text = fc
      .oneof(fc.string({ unit: 'binary' }), fc.string({ unit: odd }))
      .map((one) => one.replaceAll('\0', ''));
    const words = fc.array(text, { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(words, text, fc.oneof(fc.uint8Array({ maxLength: 600 }), text), async (args, value, input) => {
        const given = { program, folder, input, environment: { MINE: value }, args: ['-e', report, '--', ...args] };
        for (const start of [runProgram, runDirectly]) {
          const { end, out } = await told(start, given);
          const [seenArgs, seen, place, bytes] = JSON.parse(out.toString()) as [string[], Environment, string, string];
          expect([end, seenArgs, place]).toEqual([{ code: 0, signal: null }, args, folder]);
          expect(bytes).toBe(Buffer.from(input as string).toString('base64'));
          // Some shells say by these where a program lies, and how deep.
          const { _: _path, SHLVL: _depth, ...variables } = seen;
          expect(variables).toEqual({ ...base, MINE: value });
        }
      }),
      { numRuns: 4 },
    );
  });

  it('says every byte on both outputs, also what a shell says at the end, and how it ended', async () => {
    const folder = await tempFolder();
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * 7 + (n >> 8)) & 0xff));
    await writeFile(join(folder, 'bytes'), bytes);
    const both = await script('cat bytes; cat bytes >&2; exit 3', { folder });
    expect([both.end, both.out.equals(bytes), both.err.equals(bytes)]).toEqual([{ code: 3, signal: null }, true, true]);
    const mark = await script("printf '%032x0\\n' 0; printf '%032x0\\n' 0 >&2");
    expect([mark.out.toString(), mark.err.toString()]).toEqual([`${'0'.repeat(33)}\n`, `${'0'.repeat(33)}\n`]);
    expect((await script('kill -s TERM $$')).end).toEqual({ code: null, signal: 'SIGTERM' });
    expect((await told(runProgram, { program: 'no-such-program-here' })).end).toEqual({ code: null, signal: null });
    expect((await script('exit 0', { folder: join(folder, 'gone') })).end).toEqual({ code: null, signal: null });
    await rm(folder, { recursive: true });
  });

  it('takes a long input and long words another way, and refuses what no program can be given', async () => {
    const long = 'x'.repeat(100_000);
    expect((await script('wc -c', { input: long })).out.toString().trim()).toBe('100000');
    expect((await told(runProgram, { args: ['-c', 'echo ${#1}', 'sh', long] })).out.toString().trim()).toBe('100000');
    await expect(script('echo \0')).rejects.toThrow('null bytes');
  });

  it('runs one after another in one shell, many at once in many, and keeps few of these', async () => {
    const mine = { ...base, MINE: 'few' };
    const first = await shellOf(mine);
    expect(await shellOf(mine)).toBe(first);
    const many = await Promise.all(Array.from({ length: 20 }, () => shellOf(mine)));
    expect(new Set(many).size).toBe(20);
    await expect.poll(() => many.filter((pid) => isAlive(pid)).length <= 8).toBe(true);
    const again = await Promise.all(Array.from({ length: 8 }, () => shellOf(mine)));
    expect(again.filter((pid) => many.includes(pid))).toHaveLength(8);
  });

  it('gives a program no variable of another', async () => {
    const mine = { ...base, MINE: 'first' };
    const show = 'echo "${MINE-none} ${ONE-none} ${PWD-none}"';
    expect((await script(show, { base: mine, environment: { ONE: '1' } })).out.toString()).toBe('first 1 /\n');
    expect((await script(show, { base: mine, environment: { MINE: 'own' } })).out.toString()).toBe('own none /\n');
    expect((await script(show, { base: mine })).out.toString()).toBe('first none /\n');
  });

  it('is killed with all it has started; the next program has another shell', async () => {
    const mine = { ...base, MINE: 'killed' };
    const shell = await shellOf(mine);
    let child = 0;
    const run = runProgram({
      program: 'sh',
      args: ['-c', 'sleep 1000 & echo $!; wait'],
      folder: '/',
      base: mine,
      environment: {},
      input: '',
      onOut: (bytes) => (child = Number(bytes.toString())),
      onErr: () => undefined,
    });
    await expect.poll(() => child > 0).toBe(true);
    run.kill();
    expect(await run.ended).toEqual({ code: null, signal: 'SIGKILL' });
    await expect.poll(() => !isAlive(child) && !isAlive(shell)).toBe(true);
    const next = await shellOf(mine);
    expect(next).not.toBe(shell);
    run.kill();
    expect(await shellOf(mine)).toBe(next);
  });

  it('whose shell is killed fails, and the next program has another shell', async () => {
    const mine = { ...base, MINE: 'shell killed' };
    const shell = await shellOf(mine);
    expect((await script('kill -s KILL $PPID', { base: mine })).end).toEqual({ code: null, signal: 'SIGKILL' });
    const idle = await shellOf(mine);
    expect(idle).not.toBe(shell);
    process.kill(idle, 'SIGKILL');
    await expect.poll(() => !isAlive(idle)).toBe(true);
    expect(await shellOf(mine)).not.toBe(idle);
  });

  it('that leaves something behind which speaks spoils no other program', async () => {
    const mine = { ...base, MINE: 'spoken over' };
    const shell = await shellOf(mine);
    const left = await script('(sleep 0.1; echo late) & echo now', { base: mine });
    expect(left.out.toString()).toBe('now\n');
    await expect.poll(() => !isAlive(shell)).toBe(true);
    expect((await script('echo next', { base: mine })).out.toString()).toBe('next\n');
  });

  it('does not keep its host alive, and no shell outlives a host that was killed', async () => {
    const folder = await tempFolder();
    const bundle = join(folder, 'bundle.mjs');
    const entry = new URL('run-program.ts', import.meta.url).pathname;
    await build({ entryPoints: [entry], bundle: true, platform: 'node', format: 'esm', outfile: bundle });
    const host = `
      import { runProgram } from ${JSON.stringify(bundle)};
      const onOut = (bytes) => process.stdout.write(bytes);
      const more = { folder: '/', base: process.env, environment: {}, input: '', onOut, onErr: onOut };
      await runProgram({ program: 'sh', args: ['-c', 'echo $PPID'], ...more }).ended;`;
    for (const then of ['', 'setTimeout(() => process.kill(process.pid, "SIGKILL"));']) {
      const { end, out } = await told(runDirectly, { program, args: ['--input-type=module', '-e', `${host}${then}`] });
      expect(end).toEqual(then === '' ? { code: 0, signal: null } : { code: null, signal: 'SIGKILL' });
      const shell = Number(out.toString());
      expect(shell).toBeGreaterThan(1);
      await expect.poll(() => isAlive(shell)).toBe(false);
    }
  });
});
