/**
 * Lookout: asks the radar which pieces of work under way collide, soon after one of them has changed, and records what is new. The scheduler
 * lets one of two go first, agents are told of the other side, and people see it as an event. What it has found is in the record alone, so a
 * restart changes nothing.
 */
import type { Clock } from '../clock.js';
import type { StudioLog } from '../log.js';
import { type Collision, collision } from '../record/aggregates/collision/collision.js';
import type { WorkUnit } from '../record/aggregates/work-unit/state.js';
import type { RecordParts } from '../record/views/record-parts.js';
import type { BranchContext } from '../rules/branches/branch-context.js';
import type { Radar } from '../rules/branches/radar.js';
import { hasLandedAt } from '../rules/branches/status.js';
import { competes } from '../rules/goals/review-policy.js';
import { lineOf } from '../rules/goals/tree.js';
import { BRANCHES, branchRef } from '../workspace/git/objects/ref-names.js';
import { Agenda } from './agenda.js';

export interface LookoutParts extends BranchContext, RecordParts {
  readonly radar: Radar;
  readonly steady: Clock;
  readonly log: StudioLog;
}

/** Name under which its changes are recorded. */
const LOOKOUT = 'lookout';
/** Time in which several changes are looked at as one. */
const SOON_MS = 2000;
/** Units of one repository that are compared, those that changed last: each with each. */
const MOST = 100;
const MOST_PATHS = 100;

const MOVING: readonly string[] = ['work-unit', 'branch', 'merge-proposal', 'execution'];
const UNDER_WAY: readonly string[] = ['Queued', 'Executing', 'Waiting', 'Proposed', 'Reviewing'];

export class Lookout {
  readonly #parts: LookoutParts;
  readonly #agenda: Agenda;
  readonly #unfollow: () => void;
  #isDue = false;
  #looking: Promise<void> = Promise.resolve();

  constructor(parts: LookoutParts) {
    this.#parts = parts;
    this.#agenda = new Agenda(parts.steady, parts.log);
    this.#unfollow = parts.ledger.feed.onEvent(({ stored: { aggregate } }) => {
      if (MOVING.includes(aggregate)) this.#lookSoon();
    });
    this.#lookSoon();
  }

  async stop(): Promise<void> {
    this.#unfollow();
    this.#agenda.close();
    await this.#looking;
  }

  #lookSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#agenda.put('look', this.#parts.steady.now() + SOON_MS, () => {
      this.#isDue = false;
      const looked = this.#looking.then(() => this.#look());
      this.#looking = looked.catch(() => undefined);
      return looked;
    });
  }

  async #look(): Promise<void> {
    const { records, ledger } = this.#parts;
    const found = new Map<string, Omit<Collision, 'isOpen' | 'since'>>();
    for (const { repositoryId } of records.repositories.all())
      for (const one of await this.#collisionsIn(repositoryId)) found.set(one.collisionId, one);
    const over = records.collisions.all().filter(({ collisionId, isOpen }) => isOpen && !found.has(collisionId));
    const isNew = ({ collisionId, paths }: Pick<Collision, 'collisionId' | 'paths'>): boolean => {
      const known = records.collisions.get(collisionId);
      return !known?.isOpen || known.paths.join('\n') !== paths.join('\n');
    };
    const begun = [...found.values()].filter(isNew);
    if (over.length + begun.length === 0) return;
    await ledger.change(LOOKOUT, (change) => {
      for (const { collisionId } of over) change.run(collision, collisionId, 'end', {});
      for (const one of begun) change.run(collision, one.collisionId, 'find', one);
    });
  }

  async #collisionsIn(repositoryId: string): Promise<Omit<Collision, 'isOpen' | 'since'>[]> {
    const { records, disk, radar } = this.#parts;
    const units = this.#underWayIn(repositoryId);
    if (units.length < 2) return [];
    const store = await disk.stores.of(repositoryId);
    const refs = await store.refs(BRANCHES);
    const heads = new Map<string, string>();
    for (const { branchId } of units) {
      const head = refs.get(branchRef(branchId));
      const begunWith = records.branches.get(branchId)?.seedSnapshotId;
      if (head !== undefined && head !== begunWith && !hasLandedAt(records, branchId, head)) heads.set(branchId, head);
    }
    if (heads.size < 2) return [];
    const unitOn = new Map(units.map(({ branchId, workUnitId }) => [branchId, workUnitId]));
    return (await radar.look(store, heads)).map(({ branchIds, conflicts }) => {
      const [one, other] = branchIds.map((branchId) => unitOn.get(branchId)!).sort() as [string, string];
      const paths = conflicts.map(({ path }) => path).slice(0, MOST_PATHS);
      return { collisionId: `${one}+${other}`, repositoryId, workUnitIds: [one, other], paths };
    });
  }

  /** Units that will land; ways that are compared with each other collide on purpose. */
  #underWayIn(repositoryId: string): WorkUnit[] {
    const { records, ledger } = this.#parts;
    return records.workUnits
      .all()
      .filter(({ status, branchId }) => {
        return UNDER_WAY.includes(status) && records.branches.get(branchId)?.repositoryId === repositoryId;
      })
      .filter((unit) => {
        const line = lineOf(ledger.look, unit.workUnitId);
        return !competes(unit) && line.every(({ forkType }) => forkType === undefined);
      })
      .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))
      .slice(0, MOST);
  }
}
