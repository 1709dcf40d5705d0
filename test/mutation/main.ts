/**
 * `npm run mutation -- <words>`: changes the sources of the subjects with these words in small ways, one at a time, and asks of each
 * whether a test notices. What none notices stays in `survivors/`, where a line has room for its reason; docs/proof.md gets the scores.
 * With `--left` only those of the list that have no reason are tried, and told; list and page stay as they are. Test files among the words
 * are then asked in place of those of the subject.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Mutant, instrument } from './instrument.js';
import { fieldMutants, writeEffects } from './fields.js';
import { fieldTests, subjects } from './subjects.js';
import { unexplained, writeResult } from './survivors.js';

/** No test file goes on for so long without trying another mutant, on a busy machine neither: who is ended counts as noticed. */
const PATIENCE_MS = 900_000;

/** Tests of a folder that are asked; one of another suite is where it is named. */
const TEST = /(?<!\.system|\.long)\.test\.ts$/;
const NAMED = /\.test\.ts$/;

const LEFT = '--left';

const [isLeft, said] = [process.argv.includes(LEFT), process.argv.slice(2).filter((word) => word !== LEFT)];
const [words, askedFiles] = [said.filter((word) => !NAMED.test(word)), said.filter((word) => NAMED.test(word))];

if (askedFiles.length > 0 && !isLeft && words[0] !== 'fields')
  throw new Error(`test files are named behind ${LEFT} or fields alone: a score is of all that the subject has`);

/** Tests that ask whatever there is, and would notice that any field is missing. */
const ANYTHING = /\/(every-answer|every-operation|convergence)\.test\.ts$/;

for (const subject of subjects.filter(
  ({ folder }) => words.length === 0 || words.some((word) => folder.includes(word)),
)) {
  const { folder, every = 1, from = 0, also = [] } = subject;
  const { mutants, sources } = instrumented(folder);
  const tried = isLeft ? unexplained(folder, mutants) : mutants.filter(({ id }) => id % every === from);
  const asked = isLeft && askedFiles.length > 0 ? askedFiles : [folder, ...also].flatMap(testsOf);
  const noticed = await tryAll(tried, sources, asked);
  say(folder, tried, noticed);
  if (isLeft) tell(tried, noticed);
  else writeResult({ folder, all: mutants.length, mutants: tried, noticed });
}

// `npm run mutation -- fields [names] [test files]`: what inputs say is taken away, field by field; with names, those that begin so.
if (!isLeft && (words.length === 0 || words[0] === 'fields')) {
  const names = words.slice(1);
  const { mutants, sources } = fieldMutants(process.cwd());
  const tried = mutants.filter(({ from }) => names.length === 0 || names.some((name) => from.startsWith(name)));
  const noticed = await tryAll(
    tried,
    sources,
    askedFiles.length > 0 ? askedFiles : fieldTests.flatMap(testsOf).filter((file) => !ANYTHING.test(file)),
  );
  say('fields', tried, noticed);
  writeEffects(tried, noticed, names.length + askedFiles.length === 0);
}

function say(of: string, mutants: readonly Mutant[], noticed: ReadonlyMap<number, string>): void {
  const said = `${mutants.length} mutants, ${noticed.size} noticed, ${mutants.length - noticed.size} stay`;
  process.stdout.write(`${of}: ${said}\n`);
}

/** Tells of each mutant what has noticed it. */
function tell(mutants: readonly Mutant[], noticed: ReadonlyMap<number, string>): void {
  for (const { id, file, line, from, to } of mutants)
    process.stdout.write(`${noticed.get(id) ?? 'nothing'} notices ${file}:${line}: ${from} -> ${to}\n`);
}

/** Tries mutants in test files, one after the other; answers the test that noticed each. */
async function tryAll(
  mutants: readonly Mutant[],
  sources: Readonly<Record<string, string>>,
  files: readonly string[],
): Promise<ReadonlyMap<number, string>> {
  const work = mkdtempSync(join(tmpdir(), 'mutation-'));
  const [code, tried, results] = ['code.json', 'tried.json', 'results.jsonl'].map((name) => join(work, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(code, JSON.stringify(sources));
  writeFileSync(results, '');
  writeFileSync(tried, JSON.stringify(mutants.map(({ id, file }) => ({ id, file }))));
  try {
    for (;;) {
      const left = files.filter((file) => !read(results).done.has(file));
      if (left.length === 0) break;
      const env = {
        MUTATION_CODE: code,
        MUTATION_FILES: JSON.stringify(left),
        MUTATION_TRIED: tried,
      };
      const said = await test(left, { ...env, MUTATION_RESULTS: results });
      const { on, done } = read(results);
      // What was on when the process ended, has ended it.
      if (on) appendFileSync(results, `${JSON.stringify({ noticed: on.on, by: `${on.file}: ended its process` })}\n`);
      else if (left.every((file) => !done.has(file))) throw new Error(`nothing ran of ${left.join(' ')}\n${said}`);
    }
    return read(results).noticed;
  } finally {
    rmSync(work, { recursive: true });
  }
}

function instrumented(folder: string): { mutants: Mutant[]; sources: Record<string, string> } {
  const mutants: Mutant[] = [];
  const sources: Record<string, string> = {};
  for (const file of filesOf(folder).filter((each) => !/\.test\.ts$|\.d\.ts$|\/testing\//.test(each))) {
    const done = instrument(file, readFileSync(file, 'utf8'), mutants.length + 1);
    mutants.push(...done.mutants);
    sources[file] = done.code;
  }
  return { mutants, sources };
}

function testsOf(path: string): string[] {
  return statSync(path).isFile() ? [path] : filesOf(path).filter((file) => TEST.test(file));
}

function filesOf(path: string): string[] {
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return names
    .map((name) => join(path, name))
    .filter((file) => file.endsWith('.ts'))
    .sort();
}

interface Tried {
  readonly done: ReadonlySet<string>;
  readonly noticed: ReadonlyMap<number, string>;
  readonly on: { readonly on: number; readonly file: string } | undefined;
}

type Line =
  | { on: number; file: string }
  | { noticed: number; by: string }
  | { stayed: number }
  | { done: string }
  | { broken: string };

function read(results: string): Tried {
  const [done, noticed] = [new Set<string>(), new Map<number, string>()];
  let on: Tried['on'];
  for (const text of readFileSync(results, 'utf8').split('\n')) {
    if (text === '') continue;
    const line = JSON.parse(text) as Line;
    on = 'on' in line ? line : undefined;
    if ('noticed' in line) noticed.set(line.noticed, line.by);
    if ('done' in line) done.add(line.done);
    if ('broken' in line) {
      process.stderr.write(`${line.broken} fails with no mutant on\n`);
      done.add(line.broken);
    }
  }
  return { done, noticed, on };
}

/** Runs test files, and ends them where nothing goes on any more; answers what was printed. */
function test(files: readonly string[], parts: Record<string, string>): Promise<string> {
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  const args = [vitest, 'run', '--config', 'vitest.mutation.config.ts', ...files];
  const results = parts['MUTATION_RESULTS']!;
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { env: { ...process.env, ...parts, CI: '1' }, detached: true });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (piece: string) => (said = (said + piece).slice(-20_000)));
    const watch = setInterval(() => {
      if (Date.now() - statSync(results).mtimeMs > PATIENCE_MS) process.kill(-child.pid!, 'SIGKILL');
    }, 5000);
    child.on('close', () => {
      clearInterval(watch);
      resolve(said);
    });
  });
}
