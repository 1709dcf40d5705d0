/** Materializations: files written to folders outside of every workspace, and single files of pinned snapshots. */
import { Rejection } from '@weft/core';
import { z } from 'zod';
import { DEFAULT_OPTIONS, OPTIONS_ID } from '../../record/aggregates/options/options.js';
import { storedBranch } from '../../rules/branches/stored-branch.js';
import { save } from '../../rules/branches/save.js';
import { fileOf, generationOf, snapshotOf } from '../../rules/branches/snapshots.js';
import { execute } from '../../rules/runs/execute.js';
import { unitOf } from '../../record/views/by-id.js';
import { capture } from '../../projections/capture.js';
import { sourcesOf } from '../../projections/sources.js';
import { isStudioReason, refusal } from '../../reasons.js';
import { operation } from '../kernel/define.js';
import { ADDS, SETS } from '../kernel/hints.js';
import { FOLDER_REFUSALS, BRANCH_REFUSALS } from '../branches/branch-shape.js';
import { BranchExecutionResult, executionView } from './execution-shape.js';
import { Materialization } from '../branches/known-good-shape.js';
import { ProjectionSnapshot } from '../knowledge/projection-shape.js';
import { WorkUnitId } from '../goals/work-unit-shape.js';
import { EXECUTION_REFUSALS, ownTargetOf } from './workspace-target.js';

const Target = z.string().min(1).max(4096).describe('Absolute path of an empty folder, or of one to be made.');

export const ofUnit = operation({
  summary: "Write the files of a work unit's branch to a new folder.",
  scope: 'operate',
  in: z.object({
    workUnitId: WorkUnitId,
    targetPath: Target.optional().describe(
      'Absolute path of an empty folder, or of one to be made. Default: a folder of the studio.',
    ),
  }),
  out: Materialization,
  rest: { route: 'POST /studio/projections/{workUnitId}/materialize', query: ['targetPath'] },
  refuses: ['reject.workunit_not_found', 'reject.repository_path_unusable', ...BRANCH_REFUSALS, ...FOLDER_REFUSALS],
  annotations: SETS,
}).run(async (context, { workUnitId, targetPath: wanted }) => {
  const { branchId, repositoryId } = unitOf(context.records, workUnitId);
  const started = performance.now();
  const branch = await storedBranch(context, branchId, repositoryId);
  const snapshotId = await save(context, branch);
  const targetPath = await context.disk.spaces.export(branch.store, snapshotId, workUnitId, wanted);
  const fileCount = (await branch.store.files(snapshotId)).length;
  const durationMs = Math.round(performance.now() - started);
  const written = { targetKind: 'LocalFilesystem' as const, targetPath, fileCount, durationMs };
  return { workUnitId, snapshotId, ...written, succeeded: true as const };
});

export const ofSnapshot = operation({
  summary: 'Write the files of a commit that the studio keeps to a new folder.',
  scope: 'operate',
  in: z.object({
    snapshotId: z
      .string()
      .regex(/^[0-9a-f]{40,64}$/)
      .describe('Id of the commit.'),
    targetPath: Target,
  }),
  out: z.object({
    snapshotId: z.string().describe('Id of the commit.'),
    repositoryId: z.string().describe('Repository that it is of.'),
    generation: z.number().describe('How long the history is that leads to it.'),
    createdAt: z.string().describe('When it was made, ISO 8601.'),
    targetPath: z.string().describe('Folder that holds its files now.'),
    fileCount: z.number().describe('How many there are.'),
    succeeded: z.literal(true).describe('Always true.'),
  }),
  rest: { route: 'POST /studio/repository-snapshots/{snapshotId}/materialize', query: ['targetPath'] },
  refuses: [
    ...['reject.commit_not_found', 'reject.snapshot_gone', 'reject.repository_path_unusable'],
    'reject.git_failed',
  ] as const,
  annotations: SETS,
}).run(async (context, { snapshotId, targetPath: wanted }) => {
  const { repositoryId, store } = await snapshotOf(context, snapshotId);
  const targetPath = await context.disk.spaces.export(store, snapshotId, snapshotId, wanted);
  const [generation, fileCount] = [(await store.line(snapshotId)).length, (await store.files(snapshotId)).length];
  const createdAt = await store.madeAt(snapshotId);
  return { snapshotId, repositoryId, generation, createdAt, targetPath, fileCount, succeeded: true as const };
});

const Command = z.string().min(1).max(10_000).optional();

export const verify = operation({
  summary: "Build, test and check what a work unit's branch holds, and keep what is known of the unit then.",
  scope: 'operate',
  in: z.object({
    workUnitId: WorkUnitId,
    build: z.boolean().default(true).describe('Whether to build.'),
    test: z.boolean().default(true).describe('Whether to test.'),
    lint: z.boolean().default(false).describe('Whether to check.'),
    buildCommand: Command.describe('How to build. Default: what the options say, or else the files.'),
    testCommand: Command.describe('How to test. Default: what the options say, or else the files.'),
    lintCommand: Command.describe('How to check. Default: what the files say.'),
    timeoutSeconds: z
      .number()
      .int()
      .min(1)
      .max(86_400)
      .optional()
      .describe('How long one command may take. Default: what the options say.'),
  }),
  out: z.object({ execution: BranchExecutionResult, snapshot: ProjectionSnapshot }),
  rest: { route: 'POST /studio/projections/materialize' },
  tool: 'projection_materialize',
  dispatch: true,
  refuses: EXECUTION_REFUSALS,
  annotations: { ...ADDS, openWorld: true },
}).run(async (context, { workUnitId, build, test, lint, ...how }) => {
  const options = context.records.options.get(OPTIONS_ID) ?? DEFAULT_OPTIONS;
  const { buildCommand = options.buildCommand, testCommand = options.testCommand, lintCommand } = how;
  const { timeoutSeconds = options.executionTimeoutSeconds } = how;
  const ordered = {
    build: build && (buildCommand ?? true),
    test: test && (testCommand ?? true),
    lint: lint && (lintCommand ?? true),
  };
  const found = await ownTargetOf(context, { workUnitId });
  const finish = await execute(context, { ...found, ordered, timeoutSeconds, environment: {} });
  return context.answer((change) => ({
    execution: executionView(finish(change)),
    snapshot: capture(change, sourcesOf(context), workUnitId),
  }));
});

export const resolveReference = operation({
  summary: 'Read a file of another repository, as it was in one of its generations.',
  scope: 'operate',
  in: z.object({
    repoId: z.string().min(1).max(200).describe('Id of the repository.'),
    generationId: z
      .string()
      .regex(/^([0-9a-f]{40,64}|\d{1,9})$/)
      .describe("Id of a commit, or its number along the history of the user's branch, from 1."),
    path: z.string().min(1).max(4096).describe('Path of the file.'),
  }),
  out: z.object({
    repoId: z.string().describe('Id of the repository.'),
    generationId: z.string().describe('Generation that was asked for.'),
    path: z.string().describe('Path of the file.'),
    sizeBytes: z.number().describe('How large the file is.'),
    contentBase64: z.string().describe('What is in it, as base64.'),
  }),
  rest: { route: 'POST /studio/references/resolve' },
  refuses: ['reject.commit_not_found', 'reject.file_not_found', 'reject.path_outside_repository', ...BRANCH_REFUSALS],
  annotations: SETS,
}).run(async (context, { repoId, generationId, path }) => {
  const reference = { repoId, generationId, path };
  try {
    const bytes = await fileOf(await generationOf(context, repoId, generationId), path);
    return { ...reference, sizeBytes: bytes.length, contentBase64: bytes.toString('base64') };
  } catch (error) {
    // The failing one is named, since many are resolved at once.
    if (error instanceof Rejection && isStudioReason(error.reason))
      throw refusal(error.reason, error.message, reference);
    throw error;
  }
});
