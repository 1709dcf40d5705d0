/** Follower that stops the programs and executions of a branch when its last work is over, and a unit's tool servers when it is. */
import { isOver } from '../../record/aggregates/work-unit/status.js';
import type { Follower } from '../../record/ledger/collection.js';
import type { StoredEvent } from '../../record/ledger/stream.js';
import type { Records } from '../../record/views/records.js';
import type { Programs } from '../../workspace/programs/programs.js';
import { AT_ONCE_MS } from '../../workspace/programs/runner.js';

export class EndWithUnit implements Follower {
  readonly aggregate = { name: 'work-unit' };
  readonly #records: Records;
  readonly #programs: Pick<Programs, 'runs' | 'commands' | 'underWay' | 'servers'>;

  constructor(records: Records, programs: Pick<Programs, 'runs' | 'commands' | 'underWay' | 'servers'>) {
    this.#records = records;
    this.#programs = programs;
  }

  /** Called after the records have folded the event. */
  fold({ id }: StoredEvent): 'folded' {
    const { workUnits, branches } = this.#records;
    const unit = workUnits.get(id);
    if (unit && isOver(unit.status)) this.#programs.servers.end(id);
    if (unit && isOver(unit.status) && workUnits.where('branch', unit.branchId).every(({ status }) => isOver(status))) {
      const { branchId, status } = unit;
      const graceMs = status === 'Cancelled' ? AT_ONCE_MS : undefined;
      const repositoryId = branches.get(branchId)?.repositoryId ?? '';
      const key = { repositoryId, branchId };
      for (const { running } of [...this.#programs.runs.of(key), ...this.#programs.commands.running(key)])
        void running.stop(graceMs);
      this.#programs.underWay.stop(key);
    }
    return 'folded';
  }
}
