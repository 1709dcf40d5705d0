/**
 * A host under a virtual clock, with scripted models, people and faults, all of which follow from one number.
 *
 * Goals are planned, divided and worked on; agents ask, fail, loop and are slow; people answer, pause, resume, stop, requeue and
 * retry; clocks jump, the disk is full, the host dies between any two things that it makes durable, and starts again. In the end
 * people only help, and every goal must come to its end.
 */
import { Rejection, StoreError, createHost } from '@weft/core';
import type { Host, Room } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import type { Budgets } from '../../models/budgets.js';
import { isOver } from '../../record/aggregates/work-unit/status.js';
import type { Records } from '../../record/views/records.js';
import { type AgentsAtWork, type AtWork, agentsAtWork } from './agents-at-work.js';
import { Chance } from '../chance.js';
import { type Work, checkAlways, checkAtRest, checkPlaces } from './laws-of-work.js';
import { ManualClock } from '../manual-clock.js';
import { Moments } from '../moments.js';
import { type Life, mortal, nowAndThenFull } from '../record/mortal-room.js';
import { PlainRoom } from '../record/plain-room.js';
import { scriptedModels } from '../models/scripted-models.js';
import { simulatedModels } from '../models/simulated-models.js';
import { type Person, disturb, help, stateGoal } from './simulated-people.js';

const START = Date.parse('2024-01-01T00:00:00Z');
const BUDGETS: Budgets = { goal: { tokens: 150_000 }, unit: { turns: 15 }, agent: { tokens: 90_000 } };
const MOST_AT_ONCE = 3;
/**
 * So many moments in which nothing happens: nobody is on the way to do anything but by the clock. What looks whether there is
 * something to do, and finds nothing, takes a moment each time.
 */
const STILL = 24;
const HOUR_MS = 3_600_000;

export interface Simulated {
  readonly deaths: number;
  readonly units: number;
  readonly failures: number;
  /** What happened, in order, so that two runs can be compared. */
  readonly story: readonly string[];
}

export async function simulate(seed: number, rounds = 40): Promise<Simulated> {
  const host = createHost({ store: memoryStore() });
  const simulation = new Simulation(new Chance(seed), host);
  try {
    return await simulation.run(rounds);
  } finally {
    await simulation.end();
    await host.close();
  }
}

class Simulation {
  readonly #chance: Chance;
  readonly #clock = new ManualClock(START);
  readonly #host: Host;
  #now!: AgentsAtWork;
  /** What outlives the host: its disk. */
  readonly #rooms = new Map<Room, PlainRoom>();
  readonly #moments = new Moments();
  #parts: AtWork['parts'];
  #isDead = false;
  #deaths = 0;
  #writes = 0;
  /** Events that the laws were seen to hold after. */
  #checked = 0;
  #isHelping = false;

  constructor(chance: Chance, host: Host) {
    this.#chance = chance;
    this.#host = host;
  }

  async run(rounds: number): Promise<Simulated> {
    await this.#start();
    // Whoever could state none because the disk was full tries again.
    for (let i = 0; i <= this.#chance.number('goals', 2) || this.#records.workUnits.all().length === 0; i++)
      await this.#act((person) => stateGoal(person, `goal ${i}`));
    for (let round = 0; round < rounds; round++) {
      for (let i = this.#chance.number(`rest ${round}`, 20); i > 0; i--) await this.#moment();
      await this.#disturb(round);
    }
    this.#isHelping = true;
    await this.#restart();
    for (let round = 0; round < 400; round++) {
      await this.#rest();
      checkAtRest(this.#work, this.#clock.now());
      if (this.#records.workUnits.all().every(({ status }) => isOver(status))) return this.#told();
      await this.#act(help);
    }
    throw new Error(['it does not come to its end:', ...this.#standing()].join('\n'));
  }

  async end(): Promise<void> {
    if (this.#isDead) this.#now.abandon();
    else await this.#act(() => this.#now.stop());
  }

  get #records(): Records {
    return this.#now.records;
  }

  get #work(): Work {
    const budgets = this.#isHelping ? {} : BUDGETS;
    return { records: this.#records, look: this.#now.ledger.look, budgets, mostAtOnce: MOST_AT_ONCE };
  }

  async #start(): Promise<void> {
    const life: Life = {
      left: Number.POSITIVE_INFINITY,
      isLastKept: this.#chance.happens(`kept ${this.#deaths}`, 70),
      onDeath: () => (this.#isDead = true),
    };
    let hasStarted = false;
    const isFull = (): boolean =>
      hasStarted && !this.#isHelping && this.#chance.happens(`full ${(this.#writes += 1)}`, 4);
    this.#isDead = false;
    this.#now = await agentsAtWork({
      host: this.#host,
      wall: this.#clock,
      steady: this.#clock.steady,
      // From when people help on, nothing is too dear, and the host does not die.
      budgets: this.#isHelping ? {} : BUDGETS,
      models: scriptedModels(
        simulatedModels({
          chance: this.#chance,
          clock: this.#clock,
          moment: () => this.#moments.next(),
          isHelping: () => this.#isHelping,
        }),
      ),
      through: (room) => mortal(nowAndThenFull(this.#moments.through(this.#roomFor(room)), isFull), life),
      ...(this.#parts && { parts: this.#parts }),
    });
    const { disk, programs, models } = this.#now.shared;
    this.#parts = { disk, programs, models };
    hasStarted = true;
    checkPlaces(this.#records);
    this.#checked = 0;
    // It lives at least until it has started.
    if (!this.#isHelping) life.left = 3 + this.#chance.number(`life ${this.#deaths}`, 50);
  }

  #roomFor(room: Room): PlainRoom {
    const found = this.#rooms.get(room) ?? new PlainRoom();
    this.#rooms.set(room, found);
    return found;
  }

  async #restart(): Promise<void> {
    await this.#act(async () => {
      await this.#now.stop();
      await this.#start();
    });
  }

  async #disturb(round: number): Promise<void> {
    switch (this.#chance.number(`fate ${round}`, 12)) {
      case 0:
        return this.#clock.pass(this.#chance.number(`wait ${round}`, 400_000));
      case 1:
        return this.#clock.jump(this.#chance.number(`jump ${round}`, 2 * HOUR_MS) - HOUR_MS);
      case 2:
        return this.#restart();
      default:
        return this.#act((person) => disturb(person, round));
    }
  }

  /** People live longer than hosts: what is refused is refused, and what is never answered is asked of the next one. */
  async #act(act: (person: Person) => Promise<unknown>): Promise<void> {
    const { records, call } = this.#now;
    const acted = act({ records, call, chance: this.#chance }).catch((error: unknown) => {
      if (!(error instanceof Rejection || error instanceof StoreError)) throw error;
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
    const { last } = this.#now.ledger.feed;
    if (last === this.#checked) return;
    checkAlways(this.#work, this.#now.ledger.feed.after(this.#checked));
    this.#checked = last;
  }

  /** Until nothing happens any more. As long as somebody has something to do, time goes by. */
  async #rest(): Promise<void> {
    const isBusy = (): boolean =>
      ['queued', 'leased'].some((place) => this.#records.scheduledItems.where('place', place).length > 0);
    let before = -1;
    for (let moments = 0, still = 0; still < STILL || isBusy(); moments++) {
      if (moments > 20_000) throw new Error(`it never rests: ${this.#standing().join('\n')}`);
      if (still >= STILL) this.#clock.pass(60_000);
      await this.#moment();
      const { last } = this.#now.ledger.feed;
      still = last === before ? still + 1 : 0;
      before = last;
    }
  }

  #standing(): string[] {
    const { ledger, log } = this.#now;
    const units = this.#records.workUnits.all().map(({ workUnitId, goal, status }) => {
      const item = this.#records.scheduledItems.get(workUnitId);
      return `${workUnitId} ${status} ${item?.place ?? ''} ${item?.parkedFor ?? ''} «${goal.split('\n')[0]}»`;
    });
    const last = ledger.feed.after(ledger.feed.last - 12).map(({ stored }) => stored.key);
    return [...units, ...last, ...log.map(({ message, error }) => `${message}: ${String(error)}`)];
  }

  #told(): Simulated {
    const story = this.#now.ledger.feed
      .after(0)
      .map(({ stored }) => `${stored.key} ${(stored.event as { type: string }).type}`);
    const { workUnits, deadLetters } = this.#records;
    return { deaths: this.#deaths, units: workUnits.all().length, failures: deadLetters.all().length, story };
  }
}
