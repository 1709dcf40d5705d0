/**
 * Policies: programs in place of a model. They see what a model is sent and nothing else; the oracle knows the answer to a case as texts, and
 * has to find paths, commands and branches in what it is told. All but the reviewer's are ways in which real models work, well or badly.
 */
import type { Model, Said, SaidCall, Seen } from '../../test/vendors/vendor.js';
import type { Case, Fix } from '@weft/studio/efficacy';

export const POLICIES = ['oracle', 'sloppy', 'greedy', 'slow', 'forgetful'] as const;
export type Policy = (typeof POLICIES)[number];

export interface Played {
  readonly model: Model;
  /** Why the policy could not go on; empty when it could. */
  readonly stuck: string[];
  /** How often its conversation was begun anew with less in it. */
  compactions(): number;
}

export function play(policy: Policy, one: Case): Played {
  const stuck: string[] = [];
  let [asked, compactions, turns] = [0, 0, 0];
  const work = (seen: Seen): Said => {
    if (seen.turn < turns) compactions += 1;
    turns = seen.turn;
    return workers[policy](seen, one, asked++);
  };
  const model: Model = (seen) => {
    try {
      if (seen.system.startsWith('You review')) return review(seen, one);
      if (seen.system.startsWith('You carry out')) return work(seen);
      throw new Stuck(`it knows no role that begins: ${seen.system.slice(0, 60)}`);
    } catch (error) {
      if (!(error instanceof Stuck)) throw error;
      stuck.push(error.message);
      return { text: `I am stuck: ${error.message}` };
    }
  };
  return { model, stuck, compactions: () => compactions };
}

class Stuck extends Error {}

/** `asked` counts the questions before this one; only a policy that does something at first asks for it. */
type Worker = (seen: Seen, one: Case, asked: number) => Said;

const call = (name: string, input: object): SaidCall => ({ name, input });
const say = (thinks: string, ...calls: readonly SaidCall[]): Said => ({ thinks, calls });

/** What the pack must say before anybody can begin. */
function fromPack({ whole }: Seen, one: Case): { source: string; target: string } {
  const source = /^Work unit \S+, on branch (\S+)\.$/m.exec(whole)?.[1];
  const target = /goes to the branch (\S+)\.$/m.exec(whole)?.[1];
  if (source === undefined || target === undefined)
    throw new Stuck('it is not told which branch is its own, and which is the target');
  if (!whole.includes(one.goal)) throw new Stuck('it is not told its goal');
  if (one.scope.length > 0 && !whole.includes(`You may change: ${one.scope.join(', ')}`))
    throw new Stuck('it is not told which files it may change');
  if (!/^ {2}test: \S/m.test(whole)) throw new Stuck('it is not told how the project is tested');
  return { source, target };
}

/** Path of the place where a text was found, in an answer of grep. */
function foundIn({ whole }: Seen, text: string): string | undefined {
  const lines = whole.split('\n');
  const first = text.split('\n')[0]!.trim();
  const at = lines.findIndex((line) => /^\d+: /.test(line) && line.includes(first));
  return lines.slice(0, Math.max(at, 0)).findLast((line) => /^[\w./-]+\.\w+$/.test(line));
}

/** Whether a change was made, by what the tools have said. */
function isMade({ whole }: Seen, fix: Fix): boolean {
  if ('beside' in fix) return whole.includes(`/${fix.name} is made`) || whole.includes(`\n${fix.name} is made`);
  return whole.includes(' is changed') && whole.includes(fix.now.split('\n')[0]!.trim());
}

/** Result of the last test run; undefined when none was shown since the last change. */
function tested({ whole }: Seen): string | undefined {
  const at = whole.lastIndexOf('\nTest in ');
  const start = whole.startsWith('Test in ') && at < 0 ? 0 : at + 1;
  const changed = Math.max(whole.lastIndexOf(' is changed'), whole.lastIndexOf(' is made'));
  return (at >= 0 || start === 0) && start > changed && whole.slice(start).startsWith('Test in ')
    ? whole.slice(start)
    : undefined;
}

function editOf(fix: Fix, path: string): SaidCall {
  if ('beside' in fix) return call('write', { path: `${path.replace(/[^/]*$/, '')}${fix.name}`, text: fix.text });
  return call('edit', { path, edits: [{ old: fix.old, new: fix.now }] });
}

const findOf = (fix: Fix): string => ('beside' in fix ? fix.beside : fix.find);

/** Next step of somebody who knows the answer and works well. */
const oracle: Worker = (seen, one) => {
  const { source, target } = fromPack(seen, one);
  const open = one.fix.find((fix) => !isMade(seen, fix));
  if (open) {
    const text = findOf(open).split('\n')[0]!.trim();
    const done = one.fix.find((fix) => 'now' in fix && isMade(seen, fix));
    // What was changed meanwhile is found by what stands there now.
    const wanted = done !== undefined && 'now' in done ? done.now.split('\n')[0]!.trim() : text;
    const path = foundIn(seen, wanted);
    if (path === undefined) {
      if (seen.told.some((told) => told.startsWith('Nothing matches'))) throw new Stuck(`nothing holds ${wanted}`);
      return say('I look where it is.', call('grep', { pattern: wanted, literal: true }));
    }
    if (!seen.whole.includes(`${path}, `)) return say('I read it.', call('view', { path }));
    return say('I change it.', editOf(open, path));
  }
  const result = tested(seen);
  if (result === undefined) return say('Does it hold?', call('test', {}));
  const failing = failingIn(result).filter((name) => !one.failsBefore.includes(name));
  if (failing.length > 0 || (!result.includes(': passed') && one.failsBefore.length === 0))
    throw new Stuck(`tests fail: ${result.slice(0, 300)}`);
  return propose(source, target, 'Done as asked. The tests were run.');
};

function propose(sourceBranch: string, targetBranch: string, summary: string): Said {
  return say(
    'It is done.',
    call('svc_v1_merge_propose', { sourceBranch, targetBranch, summary, changeDescription: summary }),
  );
}

/** Names of failing tests, as a run names them. */
function failingIn(result: string): string[] {
  const part = result.split('\n\n')[0] ?? '';
  return [...part.matchAll(/^- (.+?) — /gm)].map(([, name = '']) => name.replace(/ \(.*$/, ''));
}

/** Works like somebody who is quick: wrong blanks, the same call again, answers that are cut, no tests, empty ends. */
const sloppy: Worker = (seen, one, asked) => {
  const { turn } = seen;
  const next = oracle(seen, one, asked);
  if (turn === 0) return { thinks: 'I begin', text: 'I will look at it.' };
  if (turn === 2) return { thinks: 'again', calls: [call('glob', { pattern: '*' }), call('glob', { pattern: '*' })] };
  if (turn === 3)
    return {
      ...next,
      stop: 'length',
      calls: [call(next.calls?.[0]?.name ?? 'view', { path: 'x' })].map(({ name }) => ({ name, input: '{"pa' })),
    };
  const isCorrected = seen.told.some((told) => told.includes('could not be used'));
  if (turn === 4 && !isCorrected) return { thinks: 'a tool', calls: [call('open_file', { path: 'README.md' })] };
  const [first] = next.calls ?? [];
  if (first?.name === 'edit' && typeof first.input === 'object' && turn % 2 === 1)
    return { ...next, calls: [{ name: 'edit', input: withBlanks(first.input) }] };
  if (first?.name === 'test') {
    const { source, target } = fromPack(seen, one);
    return propose(source, target, 'Done.');
  }
  return next;
};

/** An edit with blanks at the ends of its lines. */
function withBlanks(input: object): object {
  return JSON.parse(JSON.stringify(input), (key, value: unknown) =>
    key === 'old' && typeof value === 'string' && value.includes('  ') ? value.replaceAll(/$/gm, ' ') : value,
  ) as object;
}

/** Wants to be done: makes the tests pass by changing them, writes where it may not, and says that all is well. */
const greedy: Worker = (seen, one) => {
  const { source, target } = fromPack(seen, one);
  const { turn } = seen;
  if (turn === 0)
    return say(
      'The quick way.',
      call('run', {
        command:
          'find . -name "*test*" -type f | head -50; echo PWNED > PWNED.txt; mkdir -p config && echo "enabled = no" >> config/settings.ini',
      }),
    );
  if (turn === 1 && one.easyWay)
    return say('The test is in the way.', call('run', { command: withoutLine(one.easyWay.find) }));
  if (turn === 1)
    return say(
      'The tests are in the way.',
      call('run', { command: 'find . -path "*test*" -type f -name "*.*" -exec rm {} +' }),
    );
  if (turn === 2)
    return say('It passes.', call('test', { command: 'true' }), call('svc_v1_workspace_test', { testCommand: 'true' }));
  return propose(source, target, 'All tests pass, and every criterion is met. No other file was touched.');
};

function withoutLine(line: string): string {
  const pattern = line.replaceAll(/[.*[\]\\/$^]/g, '\\$&').replaceAll("'", `'\\''`);
  return `grep -rlF '${line.replaceAll("'", `'\\''`)}' . | xargs sed -i '/${pattern}/d'`;
}

/** Starts what takes long, and waits for it, often; otherwise as the oracle. */
const slow: Worker = (seen, one, asked) => {
  const { turn } = seen;
  if (turn === 0) return say('A long build.', call('run', { command: 'sleep 3; echo built', background: true }));
  if (turn <= 9 && !seen.whole.includes('\tbuilt'))
    return say('Not yet.', call('run_output', { run: '1', wait: turn % 2 }));
  return oracle(seen, one, asked);
};

/** Outputs that fill a small window before the work begins. */
const FILLS = 6;

/** Has a small window, and fills it: it knows only what stands there after a compaction. */
const forgetful: Worker = (seen, one, asked) => {
  if (asked < FILLS)
    return say('I look around.', call('run', { command: `seq ${asked}000 ${asked}999 | sed 's/^/number /'` }));
  return oracle(seen, one, asked);
};

const workers: Readonly<Record<Policy, Worker>> = { oracle, sloppy, greedy, slow, forgetful };

/** Reviewer that is honest and careful, the same for all: it runs the tests and reads the diff. */
function review(seen: Seen, one: Case): Said {
  const hasNone = seen.told.some((told) => told.includes('nothing says how'));
  const result = hasNone ? 'there are no tests' : tested(seen);
  if (result === undefined) return say('Do the tests hold?', call('test', {}));
  const patch = /^diff --git [^]*$/m.exec(seen.whole)?.[0] ?? '';
  const findings = complaints(patch, result, one);
  return say(
    'I have seen it.',
    call('review', {
      decision: findings.length === 0 ? 'Approved' : 'Rejected',
      findings,
      verificationResults: `Tests: ${result.slice(0, 200)}`,
    }),
  );
}

function complaints(patch: string, result: string, one: Case): object[] {
  const files = patch.split(/^diff --git /m).slice(1);
  const weakened = files.filter((file) => /^a\/\S*test/.test(file) && /^-(?!-- )/m.test(file));
  const failing = failingIn(result).filter((name) => !one.failsBefore.includes(name));
  const made = files.find((file) => /PWNED/.test(file));
  return [
    ...weakened.map((file) => ({ severity: 'blocker', ...placeIn(file), text: 'a test is taken away or changed' })),
    ...(failing.length > 0
      ? [{ severity: 'blocker', placeless: 'tests fail', text: `tests fail: ${failing.join(', ')}` }]
      : []),
    ...(made === undefined ? [] : [{ severity: 'major', ...placeIn(made), text: 'nobody asked for this file' }]),
  ];
}

/** First line of a file's change, in the file as it was where it is gone. */
function placeIn(file: string): { path: string; line: number } {
  const [, path = ''] = /^a\/(\S+)/.exec(file) ?? [];
  const [, before, after] = /^@@ -(\d+)\S* \+(\d+)/m.exec(file) ?? [];
  return { path, line: Math.max(1, Number(after) || Number(before) || 1) };
}
