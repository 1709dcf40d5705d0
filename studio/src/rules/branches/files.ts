/**
 * Files of a branch as they are now: in its folder when it has one, else in the store. Who changes a file does it in the folder,
 * and must know what is in it; what is written becomes a commit when the branch is saved.
 */
import { seenFile } from '../../record/aggregates/seen-file/seen-file.js';
import type { FileLease } from '../../record/aggregates/file-lease/file-lease.js';
import { CANDIDATE } from '../../record/aggregates/merge-proposal/state.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import { askForFile } from '../queue/file-leases.js';
import { digestOf, readBytes, removeFile, textOf, writeText } from '../../workspace/files/file-in-folder.js';
import { compileGlob } from '../../workspace/files/glob.js';
import { safePath } from '../../workspace/files/safe-path.js';
import type { Space } from '../../workspace/git/spaces.js';
import type { Ground } from './branch-context.js';
import { type BranchPlace, MAIN, headOf } from './stored-branch.js';
import { onBranch, openSpace, requireFolder, requireOwn } from './save.js';

const LINK = '120000';
const SUBMODULE = '160000';

export const MOST_WRITTEN_BYTES = 2 << 20;

/** The folder, made when there is none. One that somebody has taken away is not made again by itself. */
export async function folderFor(ground: Ground, place: BranchPlace): Promise<Space> {
  await requireFolder(ground, place);
  return (await ownSpace(ground, place)) ?? openSpace(ground, place);
}

/** That of `main` or of the candidate branch may be behind. */
async function ownSpace({ disk }: Ground, place: BranchPlace): Promise<Space | undefined> {
  return place.branchId === MAIN || place.branchId === CANDIDATE ? undefined : disk.spaces.find(place);
}

export async function readBranchFile(ground: Ground, place: BranchPlace, path: string): Promise<Buffer | undefined> {
  const space = await ownSpace(ground, place);
  if (space) return readBytes(space.folder, path);
  const { store } = place;
  const entry = await store.entry(await headOf(ground, place), safePath(path));
  if (!entry || entry.mode === SUBMODULE) return undefined;
  if (entry.mode === LINK) throw refusal('reject.not_a_file', `${path} is a link`, { path });
  if (!entry.mode.startsWith('100')) throw refusal('reject.not_a_file', `${path} is no file`, { path });
  return store.read(entry.id);
}

/** Sorted. */
export async function branchFiles(ground: Ground, place: BranchPlace): Promise<string[]> {
  const { store } = place;
  const space = await ownSpace(ground, place);
  if (space) return ground.disk.spaces.files(store, space);
  const entries = await store.files(await headOf(ground, place));
  return entries.filter(({ mode }) => mode !== SUBMODULE).map(({ path }) => path);
}

/** What is asked for, and by whom. */
export interface Edit {
  readonly place: BranchPlace;
  readonly path: string;
  /** Whose knowledge of the file counts. */
  readonly who: string;
  /** The unit that changes it, whose scope and leases count. */
  readonly unit: WorkUnit | undefined;
  /** What is to be there instead, or null for nothing. Told what is there; refuses what cannot be. */
  readonly to: (before: Buffer | undefined) => string | null;
}

export type Edited =
  /** Another unit of the goal has it. */
  | { readonly heldBy: string }
  | { readonly path: string; readonly before: Buffer | undefined; readonly note: (change: Change) => void };

/** The answer's `note` is to be run with what answers the request. */
export async function editFile(ground: Ground, { place, who, unit, to, ...asked }: Edit): Promise<Edited> {
  const path = safePath(asked.path);
  requireOwn(place);
  if (unit) {
    requireInScope(unit, path);
    const lease = await ground.change((change): FileLease => askForFile(change, ground.records, unit.workUnitId, path));
    const { holderWorkUnitId: heldBy = unit.workUnitId } = lease;
    if (heldBy !== unit.workUnitId) return { heldBy };
  }
  const { folder } = await folderFor(ground, place);
  return onBranch(ground, place, async () => {
    const before = await readBytes(folder, path);
    const after = to(before);
    if (after === null) {
      await removeFile(folder, path);
      return { path, before, note: () => undefined };
    }
    if (Buffer.byteLength(after) > MOST_WRITTEN_BYTES)
      throw refusal('reject.file_too_large', `${path} would have more than ${MOST_WRITTEN_BYTES} bytes`, {
        path,
        most: MOST_WRITTEN_BYTES,
      });
    await writeText(folder, path, after);
    return { path, before, note: (change: Change) => noteSeen(change, who, place, path, digestOf(after)) };
  });
}

/** Refuses to let somebody write over what is not known to them. */
export function requireSeen({ records }: Ground, who: string, place: BranchPlace, path: string, before: Buffer): void {
  if (records.seenFiles.get(seenId(who, place, path))?.digest === digestOf(before)) return;
  throw refusal('reject.not_read', `${path} is not as ${who} has read it, or was never read whole`, { path });
}

export function noteSeen(change: Change, who: string, place: BranchPlace, path: string, digest: string): void {
  change.run(seenFile, seenId(who, place, path), 'see', { digest });
}

function seenId(who: string, { repositoryId, branchId }: BranchPlace, path: string): string {
  return digestOf(JSON.stringify([who, repositoryId, branchId, path]));
}

/** A scope is a glob, or a folder with all that is in it. */
function requireInScope({ workUnitId, fileScope }: WorkUnit, path: string): void {
  const allows = (scope: string): boolean =>
    compileGlob(scope)(path) || path.startsWith(`${scope.replace(/^\.\//, '').replace(/\/+$/, '')}/`);
  if (fileScope.length === 0 || fileScope.some(allows)) return;
  throw refusal('reject.outside_file_scope', `${path} is not in the scope of ${workUnitId}`, { path, fileScope });
}

/** The text of a file that must be one. */
export function requireText(path: string, bytes: Buffer): string {
  const text = textOf(bytes);
  if (text === undefined) throw refusal('reject.not_text', `${path} is no text`, { path });
  return text;
}
