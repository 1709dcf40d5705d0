/**
 * A host under a virtual clock, with scripted models, people and faults, all of which follow from one number.
 *
 * Goals are planned, divided and worked on; agents ask, fail, loop and are slow; people answer, pause, resume, stop, requeue and
 * retry; the host dies between any two things that it makes durable, and starts again. In the end people only help, and every goal
 * must come to its end.
 */
import { Rejection, createHost } from '@weft/core';
import type { Host } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { spentSoFar } from '../agents/budgets.js';
import { ProviderError } from '../agents/provider.js';
import { isOver } from '../aggregates/work-unit/status.js';
import type { Records } from '../views/records.js';
import { type AgentsAtWork, agentsAtWork } from './agents-at-work.js';
import { Chance } from './chance.js';
import { ManualClock } from './manual-clock.js';
import { Moments } from './moments.js';
import { type Life, mortal } from './mortal-room.js';
import { placesOf } from './places.js';
import { type Script, scriptedModels } from './scripted-models.js';

const START = Date.parse('2024-01-01T00:00:00Z');
const BUDGET = { goal: { tokens: 150_000 } };
const MOST_AT_ONCE = 3;

export interface Simulated {
  readonly deaths: number;
  readonly units: number;
  readonly failures: number;
  /** What happened, in order, so that two runs can be compared. */
  readonly story: readonly string[];
}

export async function simulate(seed: number, rounds = 40): Promise<Simulated> {
  const chance = new Chance(seed);
  const clock = new ManualClock(START);
  const host = createHost({ store: memoryStore() });
  const simulation = new Simulation(chance, clock, host);
  try {
    return await simulation.run(rounds);
  } finally {
    await simulation.end();
    await host.close();
  }
}

class Simulation {
  readonly #chance: Chance;
  readonly #clock: ManualClock;
  readonly #host: Host;
  #now!: AgentsAtWork;
  readonly #moments = new Moments();
  #isDead = false;
  #deaths = 0;
  #isHelping = false;

  constructor(chance: Chance, clock: ManualClock, host: Host) {
    this.#chance = chance;
    this.#clock = clock;
    this.#host = host;
  }

  async run(rounds: number): Promise<Simulated> {
    await this.#start();
    for (let i = 0; i <= this.#chance.number('goals', 2); i++) await this.#person(() => this.#state(`goal ${i}`));
    for (let round = 0; round < rounds; round++) {
      await this.#quiet(this.#chance.number(`rest ${round}`, 20));
      await this.#person(() => this.#disturb(round));
    }
    this.#isHelping = true;
    // From here on nothing is too dear, and the host does not die.
    await this.#person(async () => {
      await this.#now.stop();
      await this.#start();
    });
    for (let round = 0; round < 400; round++) {
      await this.#idle();
      if (this.#records.workUnits.all().every(({ status }) => isOver(status))) return this.#told();
      await this.#person(() => this.#help());
    }
    const log = this.#now.log.map(({ message, error }) => `${message}: ${String(error)}`);
    const last = this.#now.ledger.feed.after(this.#now.ledger.feed.last - 12).map(({ stored }) => stored.key);
    throw new Error(['it does not come to its end:', ...this.#standing(), ...last, ...log].join('\n'));
  }

  async end(): Promise<void> {
    if (this.#isDead) this.#now.abandon();
    else await this.#person(() => this.#now.stop());
  }

  async #state(goal: string): Promise<void> {
    const wanted = { goal, expectedOutputKind: 'KnowledgeArtifact' };
    const { workUnitId } = (await this.#call('workunit.create', wanted)) as { workUnitId: string };
    await this.#call('session.start', { rootWorkUnitId: workUnitId, profileIds: ['orchestrator', 'worker'] });
    await this.#call('scheduler.enqueue', { workUnitId, profileId: 'orchestrator' });
  }

  get #records(): Records {
    return this.#now.records;
  }

  async #start(): Promise<void> {
    const life: Life = {
      left: this.#isHelping ? Number.POSITIVE_INFINITY : 3 + this.#chance.number(`life ${this.#deaths}`, 50),
      isLastKept: this.#chance.happens(`kept ${this.#deaths}`, 70),
      onDeath: () => (this.#isDead = true),
    };
    this.#isDead = false;
    const begun = { ...life, left: Number.POSITIVE_INFINITY };
    this.#now = await agentsAtWork({
      ...{ host: this.#host, wall: this.#clock, steady: this.#clock },
      budgets: this.#isHelping ? {} : BUDGET,
      models: scriptedModels(this.#script()),
      through: (room) => mortal(this.#moments.through(room), begun),
    });
    // It lives at least until it has started.
    begun.left = life.left;
  }

  /** What models say follows from who asks and when, so it is the same in whatever order they are asked. */
  #script(): Script {
    return async ({ role, goal, turn, workUnitId, request }, signal) => {
      const about = `${goal}/${turn}/${request.messages.length}/${workUnitId.length}`;
      for (let i = this.#chance.number(`slow ${about}`, 8); i > 0; i--) await this.#moments.next();
      if (signal.aborted) throw new ProviderError('stopped', 'stopped');
      if (role === 'planner')
        return { calls: [['artifact_record_plan', { planContent: JSON.stringify(this.#plan(goal)) }]] };
      const done = { type: 'Research', title: `${goal} done`, body: about };
      if (this.#isHelping) return { calls: [['artifact_record', done]] };
      const mood = this.#chance.number(`mood ${about}`, 100);
      if (mood < 6) throw new ProviderError('overloaded', 'too much to do');
      if (mood < 14) return { calls: [['clarification_request', { question: `what about ${about}?` }]] };
      if (mood < 20)
        return { calls: [['artifact_record', { ...done, type: 'Constraint', title: `rule of ${about}` }]] };
      if (mood < 24) return { text: 'done, I think' };
      if (mood < 30)
        return {
          calls: [
            ['nonsense', {}],
            ['workunit_get', {}],
          ],
        };
      if (mood < 70) return { calls: [['artifact_query', { keywords: about }]] };
      return { calls: [['artifact_record', done]] };
    };
  }

  #plan(goal: string): object {
    const count = 1 + this.#chance.number(`slices of ${goal}`, 5);
    const slices = [...Array(count).keys()].map((i) => ({
      ...{ sliceId: `s${i}`, goal: `${goal} part ${i}` },
      dependsOn:
        i > 0 && this.#chance.happens(`depends ${goal} ${i}`, 50)
          ? [`s${this.#chance.number(`on ${goal} ${i}`, i)}`]
          : [],
      fileScope: this.#chance.happens(`scope ${goal} ${i}`, 30) ? ['src/**'] : [],
    }));
    return { slices };
  }

  async #disturb(round: number): Promise<unknown> {
    const pick = <T>(of: readonly T[]): T | undefined =>
      of.length === 0 ? undefined : this.#chance.pick(`pick ${round}`, of);
    const { goals, agents, workUnits } = this.#records;
    const goalId = pick(goals.all())?.goalId;
    switch (this.#chance.number(`act ${round}`, 18)) {
      case 0:
        return this.#call('goal.pause', { goalId });
      case 1:
        return this.#call('goal.resume', { goalId, steering: `quicker, ${round}` });
      case 2:
        return this.#call('agent.stop', { agentId: pick(agents.all())?.agentId });
      case 3:
        return this.#call('agent.pause', { agentId: pick(agents.all())?.agentId });
      case 4:
        return this.#call('workunit.cancel', { workUnitId: pick(workUnits.all())?.workUnitId });
      case 5:
        return this.#call('requeue.requeue', { workUnitId: pick(workUnits.all())?.workUnitId, notes: 'again' });
      case 6:
        this.#clock.pass(this.#chance.number(`wait ${round}`, 400_000));
        return undefined;
      case 7:
        await this.#now.stop();
        return this.#start();
      default:
        return this.#help();
    }
  }

  /** One thing that a person can do so that work goes on. */
  async #help(): Promise<unknown> {
    const { clarifications, deadLetters, goals, agents, scheduledItems, workUnits } = this.#records;
    const asked = clarifications.all().find(({ status }) => status === 'open');
    if (asked)
      return this.#call('clarification.respond', {
        workUnitId: asked.workUnitId,
        requestId: asked.requestId,
        response: 'yes',
      });
    const failure = deadLetters.all().find(({ resolution }) => resolution === undefined);
    if (failure) {
      const { entryId, kind } = failure;
      if (kind === 'MaxIterationsExceeded') return this.#call('dead-letter.goOn', { entryId });
      if (this.#chance.happens(`replan ${entryId}`, 20)) return this.#call('dead-letter.replan', { entryId });
      return this.#call('dead-letter.retryWithContext', { entryId, steeringContext: 'do it simply' });
    }
    const paused = goals.all().find(({ status }) => status === 'Paused');
    if (paused) return this.#call('goal.resume', { goalId: paused.goalId });
    const resting = agents.all().find(({ status }) => status === 'paused');
    if (resting) return this.#call('agent.resume', { agentId: resting.agentId });
    if (scheduledItems.where('place', 'parked').some(({ parkedFor }) => parkedFor === 'Resume'))
      return this.#call('scheduler.resumeAll', {});
    const stuck = workUnits.all().find(({ status, workUnitId }) => status === 'Created' && this.#isBlocked(workUnitId));
    if (stuck) return this.#call('workunit.cancel', { workUnitId: stuck.workUnitId });
    const created = workUnits.all().find((unit) => unit.status === 'Created' && unit.parentWorkUnitId === undefined);
    if (created) return this.#call('scheduler.enqueue', { workUnitId: created.workUnitId, profileId: 'orchestrator' });
    const left = workUnits
      .all()
      .find(({ status, workUnitId }) => status === 'Active' && this.#hasOnlyCancelled(workUnitId));
    if (left) return this.#call('workunit.cancel', { workUnitId: left.workUnitId });
    return undefined;
  }

  /** It waits for what was cancelled, which only a person can say what to do about. */
  #isBlocked(workUnitId: string): boolean {
    const { dependsOn = [] } = this.#records.workUnits.get(workUnitId) ?? {};
    return dependsOn.some((id) => this.#records.workUnits.get(id)?.status === 'Cancelled');
  }

  #hasOnlyCancelled(workUnitId: string): boolean {
    const parts = this.#records.workUnits.where('parent', workUnitId);
    return parts.length > 0 && parts.every(({ status }) => status === 'Cancelled');
  }

  /** People live longer than hosts: what is refused is refused, and what is never answered is asked of the next one. */
  async #person(act: () => Promise<unknown>): Promise<void> {
    const acted = act().catch((error: unknown) => {
      if (!(error instanceof Rejection)) throw error;
    });
    let isDone = false;
    void acted.then(() => (isDone = true)).catch(() => (isDone = true));
    for (let ticks = 0; !isDone && !this.#isDead && ticks < 5000; ticks++) await this.#moments.next();
    if (!this.#isDead) {
      await acted;
      return;
    }
    this.#now.abandon();
    this.#deaths += 1;
    await this.#start();
  }

  async #moment(): Promise<void> {
    await this.#moments.next();
    this.#check();
  }

  /** So many moments in which whatever is under way goes on. */
  async #quiet(moments: number): Promise<void> {
    for (let i = 0; i < moments; i++) await this.#moment();
  }

  /** Until nobody works on anything, and nothing is due that was not done. */
  async #idle(): Promise<void> {
    const isBusy = (): boolean =>
      ['queued', 'leased'].some((place) => this.#records.scheduledItems.where('place', place).length > 0);
    for (let moments = 0, still = 0; !this.#isDead && still < 5; moments++) {
      if (moments > 100_000) throw new Error(`it never rests: ${this.#standing().join('\n')}`);
      await this.#moment();
      still = isBusy() ? 0 : still + 1;
    }
  }

  async #call(id: string, input: object): Promise<unknown> {
    return this.#now.call(id, input);
  }

  /** What holds at every moment. */
  #check(): void {
    const { workUnits, scheduledItems, goals } = this.#records;
    for (const { workUnitId, status } of workUnits.all()) {
      const places = placesOf(this.#records, workUnitId);
      if (places.length !== 1)
        throw new Error(`${workUnitId}, which is ${status}, is in ${places.join(', ') || 'no place'}`);
      this.#checkEffects(workUnitId);
    }
    if (scheduledItems.where('place', 'leased').length > MOST_AT_ONCE) throw new Error('more are worked on than may');
    for (const { goalId, workUnitId } of goals.all()) {
      const { goal } = spentSoFar(this.#records, this.#now.ledger.look, workUnitId, '');
      if (!this.#isHelping && goal.tokens > BUDGET.goal.tokens)
        throw new Error(`${goalId} has cost ${goal.tokens} tokens`);
    }
  }

  /** No tool does its work more often than it was called. */
  #checkEffects(workUnitId: string): void {
    const called = this.#records.conversationEntries
      .where('workUnit', workUnitId)
      .flatMap(({ toolCalls }) => toolCalls)
      .filter(({ name }) => name.endsWith('artifact_record'));
    const recorded = this.#records.artifacts
      .where('owner', workUnitId)
      .filter(({ type, ownedByAgentId }) => type !== 'Plan' && ownedByAgentId !== undefined);
    if (recorded.length > called.length) throw new Error(`${workUnitId} has recorded something twice`);
  }

  #standing(): string[] {
    return this.#records.workUnits.all().map(({ workUnitId, goal, status }) => {
      const item = this.#records.scheduledItems.get(workUnitId);
      return `${workUnitId} ${status} ${item?.place ?? ''} ${item?.parkedFor ?? ''} «${goal.split('\n')[0]}»`;
    });
  }

  #told(): Simulated {
    const story = this.#now.ledger.feed
      .after(0)
      .map(({ stored }) => `${stored.key} ${(stored.event as { type: string }).type}`);
    const { workUnits, deadLetters } = this.#records;
    return { deaths: this.#deaths, units: workUnits.all().length, failures: deadLetters.all().length, story };
  }
}
