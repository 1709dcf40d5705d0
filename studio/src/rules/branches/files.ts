/**
 * Files of a branch: in its folder when it has one, else in the store. A change happens in the folder, and its author must know
 * the present content; it becomes a commit when the branch is saved.
 */
import { seenFile } from '../../record/aggregates/seen-file/seen-file.js';
import type { FileLease } from '../../record/aggregates/file-lease/file-lease.js';
import { CANDIDATE } from '../../record/aggregates/merge-proposal/state.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { askForFile } from '../queue/file-leases.js';
import { digestOf, textOf } from '../../workspace/files/file-in-folder.js';
import { safePath } from '../../workspace/files/safe-path.js';
import type { Space } from '../../workspace/git/spaces/spaces.js';
import { begunEdit, readForEdit } from './begun-edit.js';
import type { BranchContext } from './branch-context.js';
import { type StoredBranch, MAIN, headOf } from './stored-branch.js';
import { scopeThatForbids } from './in-scope.js';
import { onBranch, openSpace, requireFolder, requireOwn } from './save.js';

const LINK = '120000';
const SUBMODULE = '160000';

export const MOST_WRITTEN_BYTES = 2 << 20;

/** Folder of a branch, made when there is none. One that somebody has removed is not made again by itself. */
export async function folderFor(context: BranchContext, branch: StoredBranch): Promise<Space> {
  await requireFolder(context, branch);
  return (await ownSpace(context, branch)) ?? openSpace(context, branch);
}

/** Folder of a work branch; that of `main` or of the candidate may be behind. */
async function ownSpace({ disk }: Pick<BranchContext, 'disk'>, branch: StoredBranch): Promise<Space | undefined> {
  return branch.branchId === MAIN || branch.branchId === CANDIDATE ? undefined : disk.spaces.find(branch);
}

export async function readBranchFile(
  context: BranchContext,
  branch: StoredBranch,
  path: string,
): Promise<Buffer | undefined> {
  const space = await ownSpace(context, branch);
  if (space) return context.disk.spaces.read(space, path);
  const { store } = branch;
  const entry = await store.entry(await headOf(context, branch), safePath(path));
  if (!entry || entry.mode === SUBMODULE) return undefined;
  if (entry.mode === LINK) throw refusal('reject.not_a_file', `${path} is a link`, { path });
  if (!entry.mode.startsWith('100')) throw refusal('reject.not_a_file', `${path} is no file`, { path });
  return store.read(entry.id);
}

/** Paths of the branch's files, sorted. */
export async function branchFiles(context: BranchContext, branch: StoredBranch): Promise<string[]> {
  const { store } = branch;
  const space = await ownSpace(context, branch);
  if (space) return context.disk.spaces.files(store, space);
  const entries = await store.files(await headOf(context, branch));
  return entries.filter(({ mode }) => mode !== SUBMODULE).map(({ path }) => path);
}

/** Edit of one file, and by whom. */
export interface Edit extends Editor, FileEdit {}

export interface Editor {
  readonly branch: StoredBranch;
  /** Editor, whose knowledge of the file counts. */
  readonly who: string;
  /** Editing unit, whose scope and leases count. */
  readonly unit: WorkUnit | undefined;
  /** The call, where it names itself: made again after the host has died, it comes to the same. */
  readonly call?: string | undefined;
}

export interface FileEdit {
  readonly path: string;
  /** Computes the new content from the present one, null to delete; refuses impossible edits. */
  readonly to: (before: Buffer | undefined) => string | null;
}

/** Lease of another unit of the goal. */
export interface HeldFile {
  readonly path: string;
  readonly heldBy: string;
}

export interface EditedFiles {
  readonly files: readonly EditedFile[];
  /** Records what the editor knows of them now; to be run in the change that answers the request. */
  readonly note: (change: Change) => void;
}

export interface EditedFile {
  readonly path: string;
  readonly before: Buffer | undefined;
  /** Content now; null when it was deleted. */
  readonly after: string | null;
}

/** Edits a file. The answer's `note` is to be run in the change that answers the request. */
export function editFile(context: BranchContext, { path, to, ...editor }: Edit): Promise<HeldFile | EditedFiles> {
  return editFiles(context, editor, [{ path, to }]);
}

/** Edits files, all of them or none: each edit is made in memory before the first file is written. */
export async function editFiles(
  context: BranchContext,
  { branch, who, unit, call }: Editor,
  asked: readonly FileEdit[],
): Promise<HeldFile | EditedFiles> {
  const edits = asked.map(({ path, to }) => ({ path: safePath(path), to }));
  requireOwn(branch);
  if (unit) {
    for (const { path } of edits) requireInScope(context.records, unit, path);
    for (const { path } of edits) {
      const lease = await context.change((change): FileLease =>
        askForFile(change, context.records, unit.workUnitId, path),
      );
      const { holderWorkUnitId: heldBy = unit.workUnitId } = lease;
      if (heldBy !== unit.workUnitId) return { path, heldBy };
    }
  }
  const { spaces } = context.disk;
  const space = await folderFor(context, branch);
  return onBranch(context, branch, async () => {
    const last = call === undefined ? undefined : await spaces.begun(space);
    const begun = last?.call === call ? last : undefined;
    const files: EditedFile[] = [];
    for (const { path, to } of edits) {
      const before = await readForEdit(spaces, space, { path, begun });
      const after = to(before);
      if (after !== null) requireFits(path, after);
      files.push({ path, before, after });
    }
    if (call !== undefined) await spaces.begin(space, begunEdit(call, files));
    for (const { path, after } of files)
      if (after === null) await spaces.erase(space, path);
      else await spaces.write(space, path, after);
    const note = (change: Change): void => {
      for (const { path, after } of files) if (after !== null) noteSeen(change, who, branch, path, digestOf(after));
    };
    return { files, note };
  });
}

function requireFits(path: string, text: string): void {
  if (Buffer.byteLength(text) <= MOST_WRITTEN_BYTES) return;
  throw refusal('reject.file_too_large', `${path} would have more than ${MOST_WRITTEN_BYTES} bytes`, {
    path,
    most: MOST_WRITTEN_BYTES,
  });
}

/** Optimistic lock: refuses to overwrite content that the editor does not know. */
export function requireSeen(
  { records }: Pick<BranchContext, 'records'>,
  who: string,
  branch: StoredBranch,
  path: string,
  before: Buffer,
): void {
  if (records.seenFiles.get(seenId(who, branch, path))?.digest === digestOf(before)) return;
  throw refusal('reject.not_read', `${path} is not as ${who} has read it, or was never read whole`, { path });
}

export function noteSeen(change: Change, who: string, branch: StoredBranch, path: string, digest: string): void {
  change.run(seenFile, seenId(who, branch, path), 'see', { digest });
}

function seenId(who: string, { repositoryId, branchId }: StoredBranch, path: string): string {
  return digestOf(JSON.stringify([who, repositoryId, branchId, path]));
}

/** Guard: a unit writes no file outside of its scope, nor of that of what it is a part of. */
export function requireInScope(records: Records, { workUnitId }: Pick<WorkUnit, 'workUnitId'>, path: string): void {
  const narrow = scopeThatForbids(records, workUnitId, path);
  if (!narrow) return;
  throw refusal('reject.outside_file_scope', `${path} is not in the scope of ${narrow.workUnitId}`, {
    path,
    fileScope: narrow.fileScope,
  });
}

/** Text of a file; refuses binary ones. */
export function requireText(path: string, bytes: Buffer): string {
  const text = textOf(bytes);
  if (text === undefined) throw refusal('reject.not_text', `${path} is no text`, { path });
  return text;
}
