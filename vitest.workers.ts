/**
 * Worker processes of the tests. A process runs one file after another, since starting one and loading everything it
 * imports costs more than most files do; its modules and globals outlive a file. It is replaced after some files: it
 * grows with each, and the greater a process is, the longer it takes to start a program. So files of one kind run after
 * one another, in processes that load nothing but what these need.
 */
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import {
  BaseSequencer,
  ForksPoolWorker,
  type PoolOptions,
  type PoolRunnerInitializer,
  type PoolTask,
  type TestSpecification,
  type WorkerRequest,
} from 'vitest/node';

/**
 * Most files of a kind in one process; what starts no programs may grow. With four workers each has one process for a kind, or
 * a few files of it would make another load all of its modules.
 */
const FILES_PER_PROCESS = 60;
const QUIET_FILES_PER_PROCESS = 90;

/** Kinds of files by their paths, in the order in which they run; what is of no kind runs last. */
const kinds: readonly RegExp[] = [
  // What starts programs most, and has few modules of ours loaded.
  /^(test\/(e2e|packages|contracts)|cli|examples|studio\/src\/(models\/providers|workspace))\//,
  /^studio\//,
  // Chance and time of their process are seeded: what other files have left running would draw from them.
  /^test\/simulation\//,
];

/**
 * Files that take long and are small. Which files take long is known from a run before, and on a fresh clone guessed
 * by size: then these would begin last, and the last of them would have the machine to itself.
 */
const LONG: ReadonlySet<string> = new Set([
  'bench/efficacy/obeyed.system.test.ts',
  'core/src/adapters/level/damage.test.ts',
  'core/src/client/replica/state-hash.test.ts',
  'core/src/codec/bytes/growth.test.ts',
  'core/src/crdt/sequence/convergence.test.ts',
  'core/src/crdt/sequence/shapes.test.ts',
  'core/src/room/admission/judgement-shapes.test.ts',
  'examples/programs.test.ts',
  'server/src/archives/s3-archives.test.ts',
  'server/src/transports/idle.test.ts',
  'studio/src/demo/demo.test.ts',
  'studio/src/doors/every-operation.test.ts',
  'studio/src/simulation.test.ts',
  'test/adversary/adversaries.test.ts',
  'test/contracts/postgres-store.system.test.ts',
  'test/contracts/stores.test.ts',
  'test/conformance/dialogues.test.ts',
  'test/convergence/recordings.test.ts',
  'test/docs/guides.system.test.ts',
  'test/e2e/editors.system.test.ts',
  'test/e2e/image.system.test.ts',
  'test/e2e/newcomer.system.test.ts',
  'test/e2e/serve-postgres.system.test.ts',
  'test/e2e/up.test.ts',
  'test/faults/machine.test.ts',
  'test/faults/waves.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/histories/cluster.system.test.ts',
  'test/histories/histories.system.test.ts',
  'test/laws/recordings-five.test.ts',
  'test/pictures/views.system.test.ts',
  'test/simulation/studio/studio-simulation.test.ts',
]);

function isLong({ moduleId }: TestSpecification): boolean {
  return LONG.has(relative(import.meta.dirname, moduleId));
}

function kindOf(path: string): number {
  const kind = kinds.findIndex((pattern) => pattern.test(relative(import.meta.dirname, path)));
  return kind === -1 ? kinds.length : kind;
}

class SharedProcess extends ForksPoolWorker {
  override readonly name: string = 'shared-process';
  #files = 0;
  #kind: number | undefined;

  override send(message: WorkerRequest): void {
    if (message.type === 'run') {
      this.#files += message.context.files.length;
      this.#kind = kindOf(message.context.files[0]?.filepath ?? '');
    }
    super.send(message);
  }

  canReuse(task: PoolTask): boolean {
    const kind = kindOf(task.context.files[0]?.filepath ?? '');
    const most = kind === kinds.length ? QUIET_FILES_PER_PROCESS : FILES_PER_PROCESS;
    return this.#files < most && this.#kind === kind;
  }
}

export const sharedProcesses: PoolRunnerInitializer = {
  name: 'shared-process',
  createPoolWorker: (options: PoolOptions) => new SharedProcess(options),
};

/** Order of files: by kind, and the longest of a kind first, so that no processor waits for another's last file. */
export class ByKind extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const longFirst = [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
    return longFirst.sort((one, other) => kindOf(one.moduleId) - kindOf(other.moduleId));
  }
}

/** Two more than there are processors: many tests wait for a program, a disk or a timer. */
export const workerCount = availableParallelism() + 2;

/** One more, where each file has programs at work beside it. */
export const programWorkers = availableParallelism() + 1;
