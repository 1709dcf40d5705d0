/**
 * Set-up of a unit's folder: a script of the operator, run once before agents work there. What it left is kept for other folders with the
 * same lockfiles, as long as it was made from a commit of the user's own: what agents wrote decides nothing in the folders of others.
 */
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { unitOf } from '../../record/views/by-id.js';
import { digestOf } from '../../workspace/files/file-in-folder.js';
import { AT_ONCE_MS, type Ended } from '../../workspace/programs/runner.js';
import type { SetUp } from '../../workspace/set-ups/set-ups.js';
import { folderFor } from '../branches/files.js';
import { namedPaths } from '../branches/outside-scope.js';
import { editBranch, save } from '../branches/save.js';
import { MAIN, type StoredBranch, headOf, storedBranch } from '../branches/stored-branch.js';
import type { StudioLog } from '../../log.js';
import type { RunContext } from './execute.js';

export interface SetUpContext extends RunContext {
  readonly log: StudioLog;
}

/** Tells what came of it, as a note of the unit. */
export type SetUpTold = (key: 'setUp' | 'setUpFailed', text: string) => Promise<void>;

const MOST_OUTPUT = 16 << 10;
/** Characters of its output that are told when it fails. */
const MOST_TOLD = 4000;

/** Sets up the folder of a unit, unless that was done. Ends early, and is done again by the next call, when it is aborted. */
export async function setUpFolder(
  context: SetUpContext,
  workUnitId: string,
  told: SetUpTold,
  signal: AbortSignal,
): Promise<void> {
  const unit = unitOf(context.records, workUnitId);
  const wanted = setUpFor(context, unit);
  if (!wanted || signal.aborted) return;
  const branch = await storedBranch(context, unit.branchId, unit.repositoryId);
  const { folder } = await folderFor(context, branch);
  await context.lane.inOrder(`set up ${folder}`, () => setUpIn(context, { wanted, branch, folder, told, signal }));
}

function setUpFor({ programs, records }: RunContext, unit: WorkUnit): SetUp | undefined {
  const { all } = programs.setUps;
  if (all.length === 0 || unit.expectedOutputKind === 'KnowledgeArtifact') return undefined;
  const known = records.repositories.all();
  const repository =
    unit.repositoryId === undefined
      ? known.length === 1
        ? known[0]
        : undefined
      : records.repositories.get(unit.repositoryId);
  return all.find((one) => one.repository === repository?.path);
}

interface Place {
  readonly wanted: SetUp;
  readonly branch: StoredBranch;
  readonly folder: string;
  readonly told: SetUpTold;
  readonly signal: AbortSignal;
}

async function setUpIn(context: SetUpContext, place: Place): Promise<void> {
  const { wanted, branch, folder, told, signal } = place;
  const { setUps } = context.programs;
  const ignored = (): Promise<string[]> => context.disk.spaces.ignored(branch.store, { ...branch, folder, commit: '' });
  const mark = await setUps.markOf(folder);
  if (mark?.isDone === true || signal.aborted) return;
  const before = mark?.before ?? (await ignored());
  // What a script that was broken off has left is no beginning for another.
  if (mark)
    await setUps.clear(
      folder,
      (await ignored()).filter((path) => !before.includes(path)),
    );
  else await setUps.mark(folder, { before, isDone: false });
  const start = await save(context, branch);
  const key = await keyOf(branch, wanted, start);
  const isFresh = before.length === 0;
  // The second of two with the same lockfiles finds what the first has kept.
  await context.lane.inOrder(`set up ${key}`, async () => {
    if (signal.aborted) return;
    const given = isFresh ? await setUps.give(key, folder) : undefined;
    if (given) return told('setUp', leftText(wanted, given));
    const ended = await runScript(context, place);
    if (signal.aborted) return;
    const changed = await takeBack(context, branch, start);
    if (typeof ended === 'string' || ended.exitCode !== 0)
      return told('setUpFailed', failedText(wanted, ended) + changed);
    const left = (await ignored()).filter((path) => !before.includes(path));
    if (isFresh && (await isOfUser(context, branch, start))) {
      const why = await setUps.keep(key, folder, left);
      const { branchId } = branch;
      if (why !== undefined)
        context.log({ level: 'warn', message: 'what a set-up has left is not kept', about: { branchId, why } });
    }
    await told('setUp', leftText(wanted, left) + changed);
  });
  if (!signal.aborted) await setUps.mark(folder, { before, isDone: true });
}

/** How the script ended, or why it could not be run. */
async function runScript({ programs }: RunContext, { wanted, branch, folder, signal }: Place): Promise<Ended | string> {
  const { script, seconds, isOnline } = wanted;
  try {
    const running = await programs.runner.run({
      folder,
      command: script,
      // Caches of its own: agents write to the caches of their programs.
      caches: `set-up ${branch.repositoryId}`,
      network: isOnline ? 'on' : undefined,
      repositoryId: branch.repositoryId,
      timeoutMs: seconds * 1000,
      mostBytes: MOST_OUTPUT,
    });
    const stop = (): void => void running.stop(AT_ONCE_MS);
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    return await running.ended.finally(() => signal.removeEventListener('abort', stop));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Takes back what the script has changed of the repository's own files: it is no work of the agent. */
async function takeBack(context: RunContext, branch: StoredBranch, start: string): Promise<string> {
  const changes = await branch.store.changes(start, await save(context, branch));
  if (changes.length === 0) return '';
  const edits = changes.map(({ path, before }) => ({ path, content: before ?? null }));
  await editBranch(context, branch, edits, `Take back ${edits.length} changes of the set-up`);
  const named = namedPaths(changes.map(({ path }) => path));
  return `\nIt changed files that are not ignored, which was taken back: ${named}`;
}

async function keyOf(
  { store, repositoryId }: StoredBranch,
  { script, lockfiles }: SetUp,
  commit: string,
): Promise<string> {
  const found = await Promise.all(lockfiles.map(async (path) => [path, (await store.entry(commit, path))?.id ?? null]));
  const { platform, arch, versions } = process;
  return digestOf(JSON.stringify([repositoryId, script, found, platform, arch, versions.node]));
}

async function isOfUser(context: RunContext, { store, repositoryId }: StoredBranch, commit: string): Promise<boolean> {
  return store.isAncestor(commit, await headOf(context, await storedBranch(context, MAIN, repositoryId)));
}

function leftText({ script }: SetUp, paths: readonly string[]): string {
  const left = namedPaths(paths.map((path) => path.replace(/\/$/, '')));
  return `${script}\nIt left ${left === '' ? 'nothing that git ignores' : `${left}, which git ignores`}. Where you change what it reads, run it again yourself.`;
}

function failedText({ script, seconds }: SetUp, ended: Ended | string): string {
  if (typeof ended === 'string') return `${script}\nIt could not be run: ${ended}`;
  const { why, exitCode, stdOut, stdErr } = ended;
  const how = why === 'timed-out' ? `was stopped after ${seconds} s` : `ended with ${exitCode}`;
  return `${script}\nIt ${how}. The end of what it wrote:\n${`${stdOut}\n${stdErr}`.trim().slice(-MOST_TOLD)}`;
}
