/**
 * Orientation: what an agent is told of the repository where its conversation begins. Made by code from the tree and the record, never by a
 * model; the same input gives the same text, and each section has a budget.
 */
import type { AgentProfile } from '../../record/aggregates/agent-profile/state.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import type { BranchContext } from '../../rules/branches/branch-context.js';
import { rulesFor } from '../../rules/branches/guidance.js';
import { skillsOf } from '../../rules/branches/skills.js';
import { type StoredBranch, MAIN, headOf, isUnbegun, storedBranch } from '../../rules/branches/stored-branch.js';
import { forPeople } from '../../rules/proposals/patch.js';
import { dangersOf } from '../../rules/goals/review-depth.js';
import { troublesOf } from '../../rules/proposals/troubles.js';
import { textOf } from '../../workspace/files/file-in-folder.js';
import { MOST_ATTRIBUTE_FILES, notHere } from '../../workspace/git/objects/not-here.js';
import { detectRoots, filesToRead } from '../../workspace/programs/profile.js';
import { newestProposal } from '../stage-end.js';
import type { Records } from '../../record/views/records.js';
import { absentSection } from './absent.js';
import { commandsSection, timeKey } from './commands.js';
import { MOST_COMMITS, commitsSection } from './commits.js';
import { isSource } from './declarations.js';
import { type Landed, MOST_LANDED, landedSection } from './landed.js';
import { outlineSection } from './outline.js';
import type { Fact } from './fact.js';
import { memoriesOf } from '../../rules/knowledge/memories.js';
import { memoriesSection } from './memories.js';
import { rulesSection } from './rules.js';
import { skillsSection } from './skills.js';
import { togetherSection } from './together.js';
import { treeSection } from './tree.js';

/** Bytes of a patch shown to its reviewer. */
const LONGEST_PATCH = 100_000;
/** Bytes of files that say how a project is built. */
const MOST_READ = 200_000;
const MOST_READ_IN_ALL = 2_000_000;
/** Files that are outlined, and their bytes. */
const MOST_SOURCES = 2000;
const MOST_SOURCE = 100_000;
const MOST_SOURCE_IN_ALL = 1_500_000;
const SUBMODULE = '160000';
const ATTRIBUTES = /(^|\/)\.gitattributes$/;
/** Executions that are looked at, of the newest. */
const MOST_EXECUTIONS = 200;

export async function orientation(
  context: BranchContext,
  unit: WorkUnit,
  { stage, allowedTools }: Pick<AgentProfile, 'stage' | 'allowedTools'>,
): Promise<Fact[]> {
  const shown = stage === 'Review' ? await proposalSection(context, unit) : [];
  if (!hasRepository(context, unit)) return shown;
  // Who may not read a skill is told of none.
  const hasSkills = allowedTools.length === 0 || allowedTools.includes('skill');
  const skills = hasSkills ? skillsSection(await skillsOf(context, unit.repositoryId)) : [];
  const repositoryId = unit.repositoryId ?? context.records.repositories.all()[0]?.repositoryId ?? '';
  const remembered = memoriesSection(memoriesOf(context.records, repositoryId));
  const rules = [...rulesSection(await rulesFor(context, unit)), ...remembered, ...skills];
  if (unit.expectedOutputKind === 'KnowledgeArtifact' && unit.repositoryId === undefined) return [...rules, ...shown];
  const { paths, roots, sources, commits, absent } = await projectsOf(context, unit);
  return [
    ...absentSection(absent),
    ...commandsSection(roots, timesOf(context.records, repositoryId)),
    ...treeSection(paths, unit.fileScope),
    ...outlineSection(sources, unit.fileScope),
    ...commitsSection(commits),
    ...landedSection(await landedBefore(context, unit)),
    ...togetherSection(context.records, unit),
    ...rules,
    ...shown,
  ];
}

/** Whether it is known which repository the unit is about: with several registered, none is guessed. */
function hasRepository({ records }: BranchContext, { repositoryId }: WorkUnit): boolean {
  return repositoryId !== undefined || records.repositories.all().length === 1;
}

/** Files and projects of the unit's branch; of the user's, while it has not begun. */
async function projectsOf(context: BranchContext, { branchId, repositoryId }: WorkUnit) {
  const isBegun = !isUnbegun(context.records, branchId) && context.records.branches.get(branchId) !== undefined;
  const branch: StoredBranch = await storedBranch(context, isBegun ? branchId : MAIN, repositoryId);
  const head = await headOf(context, branch);
  const all = await branch.store.files(head);
  const entries = all.filter(({ mode }) => mode !== SUBMODULE);
  const submodules = all.flatMap(({ mode, path }) => (mode === SUBMODULE ? [path] : []));
  const ids = new Map(entries.map(({ path, id }) => [path, id]));
  const paths = [...ids.keys()];
  const wanted = filesToRead(paths).flatMap((path) => ids.get(path) ?? []);
  const texts = await branch.store.readMany(wanted, MOST_READ, MOST_READ_IN_ALL);
  const roots = detectRoots(paths, (path) => {
    const bytes = texts.get(ids.get(path) ?? '');
    return bytes && textOf(bytes);
  });
  const declaring = paths.filter(isSource).slice(0, MOST_SOURCES);
  const idsOf = declaring.flatMap((path) => ids.get(path) ?? []);
  const read = await branch.store.readMany(idsOf, MOST_SOURCE, MOST_SOURCE_IN_ALL);
  const sources = declaring.flatMap((path) => {
    const bytes = read.get(ids.get(path) ?? '');
    const text = bytes && textOf(bytes);
    return text === undefined ? [] : [{ path, text }];
  });
  const attributes = paths.filter((path) => ATTRIBUTES.test(path)).slice(0, MOST_ATTRIBUTE_FILES);
  const said = await branch.store.readMany(
    attributes.flatMap((path) => ids.get(path) ?? []),
    MOST_READ,
    MOST_READ_IN_ALL,
  );
  const absent = notHere(submodules, [...said.values()].map(String));
  // Commits are the user's branch's: those that the studio makes on others in one second come in any order.
  const main = isBegun ? await headOf(context, await storedBranch(context, MAIN, repositoryId)) : head;
  return { paths, roots, sources, absent, commits: await branch.store.history(main, { most: MOST_COMMITS }) };
}

/** What has landed of the parts that this one depends on, with as much of their patches as fits. */
async function landedBefore(context: BranchContext, { dependsOn }: WorkUnit): Promise<Landed[]> {
  const proposals = dependsOn
    .flatMap((id) => context.records.proposals.where('workUnit', id))
    .filter(({ status }) => status === 'Merged');
  const most = Math.floor(MOST_LANDED / Math.max(1, proposals.length));
  const landed: Landed[] = [];
  for (const { proposalId, summary, repositoryId, baseCommit, headCommit } of proposals) {
    const store = await context.disk.stores.of(repositoryId);
    landed.push({ proposalId, summary, patch: forPeople(await store.patch(baseCommit, headCommit, most)) });
  }
  return landed;
}

/** How long the newest run of each command took that has passed, in seconds. */
function timesOf({ executions }: Records, repositoryId: string): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const one of executions.all().slice(-MOST_EXECUTIONS)) {
    if (one.repositoryId !== repositoryId) continue;
    for (const { exitCode, command, projectRoot, startedAt, completedAt } of one.steps)
      if (exitCode === 0)
        times.set(timeKey(projectRoot, command), (Date.parse(completedAt) - Date.parse(startedAt)) / 1000);
  }
  return times;
}

/** Proposal as its reviewer is shown it: what is claimed, what failed on the way, and the patch. */
async function proposalSection(context: BranchContext, { workUnitId }: WorkUnit): Promise<Fact[]> {
  const proposal = newestProposal(context.records, { workUnitId });
  if (!proposal) return [];
  const { proposalId, summary, changeDescription, repositoryId, baseCommit, headCommit } = proposal;
  const store = await context.disk.stores.of(repositoryId);
  const patch = forPeople(await store.patch(baseCommit, headCommit, LONGEST_PATCH));
  const failed = troublesOf(context.records, proposal).map(({ kind, text }) => `- ${kind}: ${text}\n`);
  const hardest = dangersOf(proposal).map((danger) => `- ${danger}\n`);
  const dangers = hardest.length === 0 ? '' : `Look hardest at this:\n${hardest.join('')}\n`;
  const troubles = failed.length === 0 ? '' : `What failed on the way, and is not mended:\n${failed.join('')}\n`;
  const text = `To be reviewed:\nProposal ${proposalId}: ${summary}\n${changeDescription}\n\n${dangers}${troubles}${patch}`;
  return [{ id: `proposal ${proposalId} ${headCommit}`, text }];
}
