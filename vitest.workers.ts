/**
 * Worker processes of the tests. A process runs one file after another, since starting one and loading everything it
 * imports costs more than most files do; its modules and globals outlive a file. It is replaced after some files: it
 * grows with each, and the greater a process is, the longer it takes to start a program.
 */
import { availableParallelism } from 'node:os';
import { ForksPoolWorker, type PoolOptions, type PoolRunnerInitializer, type WorkerRequest } from 'vitest/node';

const FILES_PER_PROCESS = 20;

class SharedProcess extends ForksPoolWorker {
  override readonly name: string = 'shared-process';
  #files = 0;

  override send(message: WorkerRequest): void {
    if (message.type === 'run') this.#files += message.context.files.length;
    super.send(message);
  }

  canReuse(): boolean {
    return this.#files < FILES_PER_PROCESS;
  }
}

export const sharedProcesses: PoolRunnerInitializer = {
  name: 'shared-process',
  createPoolWorker: (options: PoolOptions) => new SharedProcess(options),
};

/** One more than there are processors: many tests wait for a program, a disk or a timer. */
export const workerCount = availableParallelism() + 1;
