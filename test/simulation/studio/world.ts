/**
 * A studio under one seed: its processes on a disk that delays, refuses and outlives them, scripted agents, people who help and
 * disturb, and callers who ask for whatever there is.
 */
import { createHash } from 'node:crypto';
import type { Notice } from '@weft/core';
import { reaches } from '../../../studio/src/operations/kernel/caller.js';
import { isOver } from '../../../studio/src/record/aggregates/work-unit/status.js';
import type { Records } from '../../../studio/src/record/views/records.js';
import { Chance } from '../../../studio/src/testing/chance.js';
import { checkAlways, checkAtRest, checkPlaces, watchLooks } from '../../../studio/src/testing/work/laws-of-work.js';
import { recordDigest } from '../../../studio/src/testing/record/record-digest.js';
import { scriptedModels } from '../../../studio/src/testing/models/scripted-models.js';
import { LINES, SHARED, sharedText, simulatedModels } from '../../../studio/src/testing/models/simulated-models.js';
import { type MemoryDisk, memoryDisk } from '../../../studio/src/testing/memory-git/memory-disk.js';
import {
  type Person,
  disturb,
  help,
  stateFileGoal,
  stateGoal,
} from '../../../studio/src/testing/work/simulated-people.js';
import { Random } from '../../convergence/random.js';
import { Disk, type Life } from '../disk.js';
import { seededCrypto } from '../seeded-crypto.js';
import { Timeline, settled } from '../timeline.js';
import { Known } from '../values.js';
import { repository } from '../../../studio/src/record/aggregates/repository/repository.js';
import { GIT_FAILS, type GitFaults, inTime } from './disk-in-time.js';
import {
  BUDGETS,
  States,
  StudioBreach,
  type StudioLaw,
  checkAttention,
  checkHolders,
  checkLanded,
  checked,
} from './laws.js';
import { NOT_THERE, type ProcessParts, type StudioProcess, startProcess } from './process.js';
import { CANARY, type Wanted, named, requestOf, wanted } from './requests.js';

/** So long may anything take when nothing is made to fail. */
const PATIENCE_MS = 20 * 60_000;
/** In so many moments whoever is left alone comes to rest; what goes round for ever takes more, and little time. */
const MOST_MOMENTS = 10_000;
/** So long nothing has to happen for the studio to be at rest. */
const STILL_MS = 3 * 60_000;
/** How often somebody helps in the end. */
const HELP = 8;
/** The one repository of the workgroup. */
const FOLDER = '/memory/user';
const REPOSITORY = 'repo-1';
const CALM: GitFaults = { failing: 0, slow: 20, mostMs: 20 };

interface Answer {
  readonly status: number;
  readonly json: unknown;
}

interface Alive {
  readonly life: Life;
  readonly process: StudioProcess;
}

export interface StudioWorldOptions {
  readonly seed: number;
  readonly tell?: (line: string) => void;
}

export class StudioWorld {
  readonly timeline = new Timeline();
  breach: StudioBreach | undefined;
  /** How often each operation has succeeded. */
  readonly seen = new Map<string, number>();
  /** How often each kind of event has come to be. */
  readonly came = new Map<string, number>();
  deaths = 0;
  readonly #random: Random;
  readonly #chance: Chance;
  readonly #crypto = seededCrypto();
  readonly #disk: Disk;
  readonly #files: MemoryDisk = memoryDisk();
  readonly #gitFaults: GitFaults = { ...CALM };
  /** Commits that people have made in the repository of theirs. */
  readonly #byPeople: string[] = [];
  readonly #known = new Known();
  readonly #trace = createHash('sha256');
  readonly #tell: ((line: string) => void) | undefined;
  #alive: Alive | undefined;
  #starting: Promise<void> | undefined;
  #lives = 0;
  #image: Uint8Array | undefined;
  #keys = 0;
  #round = 0;
  /** Keys of the events that were shown, in their order. */
  #story: string[] = [];
  #states = new States();
  #unlooked: () => string | undefined = () => undefined;
  #isHelping = false;
  /** Requests that have a name, and what was answered to whoever asked so first. */
  readonly #twins = new Map<string, { readonly wanted: Wanted; answer?: string }>();
  /** Requests that have failed because they were made to. */
  readonly #excused = new Set<string>();
  readonly #pending = new Set<{ readonly life: Life; readonly what: string }>();

  constructor({ seed, tell }: StudioWorldOptions) {
    this.#random = new Random(seed);
    this.#chance = new Chance(seed);
    this.#tell = tell;
    this.#disk = new Disk({
      timeline: this.timeline,
      random: this.#random,
      authoritySeed: new Uint8Array(32).fill(7),
      kept: (_room, _at, records) => {
        for (const { pack } of records)
          if (Buffer.from(pack).includes(CANARY)) this.wrong('secrets-stay', 'a key of a model is in a room');
      },
      removed: () => undefined,
      forked: () => undefined,
      wrong: (_law, why) => this.wrong('no-bugs', why),
    });
  }

  get trace(): string {
    return this.#trace.copy().digest('hex');
  }

  wrong(law: StudioLaw, why: string): void {
    this.breach ??= new StudioBreach(law, why);
  }

  async begin(): Promise<void> {
    const shared = Object.fromEntries(SHARED.map((path) => [path, sharedText()]));
    const first = await this.#files.repository(FOLDER, { 'readme.md': 'hello\n', ...shared });
    this.#byPeople.push(first);
    await this.#startUp();
    const about = { repositoryId: REPOSITORY, path: FOLDER, rootCommits: [first], turn: 0 };
    await this.#until(this.#up.ledger.change('ann', (change) => change.run(repository, REPOSITORY, 'register', about)));
    await this.#until(this.#act((person) => stateGoal(person, 'goal 0')));
    for (let i = 0; i < 2; i++)
      await this.#until(this.#act((person) => stateFileGoal(person, `goal ${i}`, REPOSITORY)));
  }

  async run(moments: number): Promise<void> {
    for (let i = 0; i < moments && !this.breach; i++) {
      if (!(await this.timeline.step())) return;
      this.#look();
    }
  }

  async move(seed: number): Promise<void> {
    const random = new Random(seed);
    const kind = random.below(100);
    const round = ++this.#round;
    if (kind < 45) this.#askAnything(random);
    else if (kind < 65) void this.#act(help);
    else if (kind < 78) void this.#act((person) => disturb(person, round));
    else if (kind < 84) this.#askAgain(random);
    else if (kind < 85) void this.#act((person) => stateGoal(person, `goal of ${round}`));
    else if (kind < 87) void this.#act((person) => stateFileGoal(person, `goal of ${round}`, REPOSITORY));
    else if (kind < 89) await this.#commit(random, round);
    else if (kind < 92) this.#disturbDisk(random);
    else if (kind < 96) this.timeline.skip(random.below(400_000));
    else await this.#end(random.chance(30));
    await settled();
    this.#look();
  }

  /** Everything works from now on, and people help for a while: then nothing waits for ever, and all that waits for a person is listed. */
  async heal(): Promise<void> {
    this.#note('everything works again');
    this.#isHelping = true;
    Object.assign(this.#disk.faults, { full: 0, failing: 0, flipped: 0, mostMs: 8 });
    Object.assign(this.#gitFaults, CALM);
    await this.#end(true);
    for (let round = 0; round < HELP && !this.breach; round++) {
      await this.#rest();
      // What falls due in this very moment has its while.
      if (!this.breach && this.#forgotten() !== undefined) await this.#rest();
      if (this.breach) return;
      const { records } = this.#up;
      const forgotten = this.#forgotten();
      if (forgotten !== undefined) this.wrong('nothing-waits', forgotten);
      await this.#checkList();
      this.#check('landed-stays', () => checkLanded(records, this.#files, FOLDER, this.#byPeople));
      if (records.workUnits.all().every(({ status }) => isOver(status))) break;
      if (this.breach) return;
      await this.#until(this.#act(help));
    }
    if (this.breach) return;
    const before = recordDigest(this.#records);
    await this.#end(false);
    if (this.#up.process.opened !== before)
      this.wrong('same-after-restart', 'the record of the log is another one than was shown');
  }

  async close(): Promise<void> {
    this.#kill();
    await settled();
  }

  get #up(): Alive & Pick<StudioProcess, 'records' | 'ledger'> {
    if (!this.#alive) throw new Error('no studio is up');
    const { process } = this.#alive;
    return { ...this.#alive, records: process.records, ledger: process.ledger };
  }

  get #records(): Records {
    return this.#up.records;
  }

  #note(line: string): void {
    this.#trace.update(line).update('\n');
    this.#tell?.(line);
  }

  #check(law: StudioLaw, check: () => void): void {
    try {
      checked(law, check);
    } catch (error) {
      if (!(error instanceof StudioBreach)) throw error;
      this.breach ??= error;
    }
  }

  async #startUp(): Promise<void> {
    const life: Life = { name: `s${++this.#lives}`, isOver: false };
    const alone = (act: () => void) => (): void => {
      if (!life.isOver) act();
    };
    const clock = {
      now: () => this.timeline.now(),
      after: (ms: number, act: () => void) => this.timeline.after(ms, alone(act)),
    };
    let turns = 0;
    const models = simulatedModels({
      chance: this.#chance,
      clock,
      moment: () =>
        new Promise((resolve) => clock.after(this.#chance.number(`${life.name} ${++turns}`, 2000), resolve)),
      isHelping: () => this.#isHelping,
    });
    this.#note(`${life.name} starts`);
    const log = ({ level, message, error, about }: Notice): void => {
      if (isMade(error) && about?.['requestId'] !== undefined) this.#excused.add(String(about['requestId']));
      if (level === 'error' && !life.isOver && !isMade(error))
        this.wrong('no-bugs', `${message}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    };
    for (let tries = 0; ; tries++) {
      try {
        const process = await this.#until(
          startProcess({
            name: life.name,
            store: this.#disk.seenBy(life),
            clock,
            crypto: this.#crypto,
            models: scriptedModels(models),
            budgets: BUDGETS,
            digits: (length) => Array.from({ length }, () => this.#random.below(16).toString(16)).join(''),
            images: this.#imagesFor(life),
            log,
            disk: inTime(this.#files, { random: this.#random, clock, faults: this.#gitFaults }),
            trial: (commit) =>
              !this.#isHelping && this.#chance.happens(`trial of ${commit}`, 5) ? 'its tests fail' : undefined,
          }),
        );
        this.#alive = { life, process };
        break;
      } catch (error) {
        if (!isMade(error) || tries > 50) throw error;
        this.#disk.buried(life);
      }
    }
    this.#sameStory();
  }

  /** What was shown before is there, and nothing stands in between. */
  #sameStory(): void {
    const { ledger, records } = this.#up;
    const story = ledger.feed.after(0).map(({ stored }) => stored.key);
    const lost = this.#story.findIndex((key, i) => story[i] !== key);
    if (lost >= 0)
      this.wrong('acknowledged-stays', `${this.#story[lost]} was shown, and is ${story[lost] ?? 'nothing'} now`);
    this.#story = [];
    this.#states = new States();
    this.#check('one-place', () => checkPlaces(records));
    this.#unlooked = watchLooks(ledger, records);
    this.#look();
  }

  /** Everything that has happened since, against the laws. */
  #look(): void {
    if (!this.#alive || this.breach) return;
    const { ledger, records } = this.#up;
    const since = ledger.feed.after(this.#story.length);
    if (since.length === 0) return;
    for (const entry of since) {
      this.#story.push(entry.stored.key);
      const { type } = entry.stored.event as { type: string };
      this.came.set(type, (this.came.get(type) ?? 0) + 1);
      this.#trace.update(entry.stored.key);
      this.#check('table-of-states', () => this.#states.take(entry));
    }
    const touched = new Set(since.flatMap(({ stored }) => stored.meta.workUnitId ?? []));
    this.#check('one-place', () => checkPlaces(records, touched));
    this.#check('one-holder', () => checkHolders(records));
    const work = { records, look: ledger.look, budgets: BUDGETS, mostAtOnce: Infinity };
    this.#check('budgets', () => checkAlways(work, since));
    const unlooked = this.#unlooked();
    if (unlooked !== undefined) this.wrong('looked-at', unlooked);
  }

  /** Images of the record, which every second life reads, so the same record comes from them and from the log. A death leaves the one before. */
  #imagesFor(life: Life): ProcessParts['images'] {
    const isRead = this.#lives % 2 === 0;
    return {
      code: 'simulated',
      fewest: 1,
      read: () => Promise.resolve(isRead ? this.#image : undefined),
      write: async (pieces) => {
        const taken: Uint8Array[] = [];
        for await (const piece of pieces) taken.push(piece);
        const image = Buffer.concat(taken);
        if (image.includes(CANARY)) this.wrong('secrets-stay', 'a key of a model is in an image');
        if (!life.isOver) this.#image = image;
      },
    };
  }

  #kill(): void {
    if (!this.#alive) return;
    const { life } = this.#alive;
    this.#note(`${life.name} dies`);
    life.isOver = true;
    this.#alive = undefined;
    this.#disk.buried(life);
    for (const one of this.#pending) if (one.life === life) this.#pending.delete(one);
  }

  /** The studio ends, as an operator ends it or as it dies, and starts again. */
  async #end(isGentle: boolean): Promise<void> {
    if (isGentle && this.#alive) await this.#until(this.#up.process.stop()).catch(unlessBug);
    else this.deaths++;
    this.#kill();
    await this.#startUp();
  }

  /** A person commits to the branch that agents' work lands on. */
  async #commit(random: Random, round: number): Promise<void> {
    const path = random.pick(SHARED);
    const edits = [{ path, content: sharedText(`a person ${random.below(LINES)}`) }];
    const at = new Date(this.timeline.now()).toISOString();
    this.#byPeople.push(await this.#files.commit(FOLDER, edits, { message: `By hand ${round}`, at }));
    this.#note(`a person has changed ${path}`);
  }

  #disturbDisk(random: Random): void {
    const { faults } = this.#disk;
    Object.assign(faults, { full: 0, failing: 0, mostMs: 8 });
    Object.assign(this.#gitFaults, CALM, random.chance(40) ? { failing: 10, mostMs: 2000 } : {});
    const kind = random.below(100);
    if (kind < 20) faults.full = 20;
    else if (kind < 40) faults.failing = 10;
    else if (kind < 60) faults.mostMs = 900;
    this.#note(`the disk: ${JSON.stringify(faults)}`);
  }

  #askAnything(random: Random): void {
    const one = wanted(random, this.#known, () => `key-${++this.#keys}`);
    void this.#ask(one);
    if (one.key !== undefined && random.chance(50)) void this.#ask(one);
  }

  /** Somebody repeats a request that has a name, because its answer was lost. */
  #askAgain(random: Random): void {
    const twins = [...this.#twins.values()];
    if (twins.length > 0) void this.#ask(random.pick(twins).wanted);
  }

  /** Resolves when it is answered; never when the process dies before. */
  async #ask(one: Wanted): Promise<Answer> {
    const alive = this.#up;
    const { operation, as, key } = one;
    const what = { life: alive.life, what: operation.id };
    const isTwin = key !== undefined && !operation.hints.readOnly;
    if (isTwin && !this.#twins.has(key)) this.#twins.set(key, { wanted: one });
    this.#pending.add(what);
    const response = await alive.process.front.fetch(requestOf(one));
    const text = await response.text();
    if (alive.life.isOver) return new Promise(() => undefined);
    this.#pending.delete(what);
    const { status } = response;
    this.#note(
      `${as} ${operation.id} ${JSON.stringify(one.input).slice(0, 160)}: ${status} ${plain(text).slice(0, 200)}`,
    );
    if (text.includes(CANARY)) this.wrong('secrets-stay', `${operation.id} answers with the key of a model`);
    if (status >= 500 && status !== 503 && !this.#excused.has(response.headers.get('x-request-id') ?? ''))
      this.wrong('no-bugs', `${operation.id}: ${status} ${text}`);
    if (status === 200 && !reaches(as, operation.scope))
      this.wrong('rights', `${operation.id} needs ${operation.scope}, and ${as} was served`);
    if (status === 200) this.seen.set(operation.id, (this.seen.get(operation.id) ?? 0) + 1);
    if (status === 200 && isTwin) this.#told(key, text);
    const json: unknown = text === '' ? undefined : JSON.parse(text);
    if (status === 200) this.#known.note(json);
    return { status, json };
  }

  /** Secrets are shown once, and so not to who repeats the request. */
  #told(key: string, text: string): void {
    const twin = this.#twins.get(key)!;
    const told = text.replace(/,?"secret":"[^"]*"/, '');
    twin.answer ??= told;
    if (twin.answer === told) return;
    const [one, other] = [twin.answer, told].map((answer) => answer.slice(0, 300));
    this.wrong('twins-agree', `${twin.wanted.operation.id} was told ${one} and ${other}`);
  }

  /** A person does something by the doors. What is refused is refused, and what is never answered is somebody else's. */
  async #act(act: (person: Person) => Promise<unknown>): Promise<void> {
    const { records } = this.#up;
    const call = async (id: string, input: object): Promise<unknown> => {
      const answer = await this.#ask({ operation: named(id), input: { ...input }, as: 'admin' });
      if (answer.status !== 200) throw new Refused(id);
      return answer.json;
    };
    await act({ records, call, chance: this.#chance }).catch((error: unknown) => {
      if (!(error instanceof Refused)) this.wrong('no-bugs', String(error));
    });
  }

  /** Lets time go by until it has come to its end, or its process has died. */
  async #until<T>(promise: Promise<T>): Promise<T> {
    let end: { readonly value: T } | { readonly error: unknown } | undefined;
    promise.then(
      (value) => (end = { value }),
      (error: unknown) => (end = { error }),
    );
    await settled();
    const until = this.timeline.now() + PATIENCE_MS;
    while (!end && !this.breach && this.timeline.now() < until) {
      if (!(await this.timeline.step())) break;
      this.#look();
    }
    await settled();
    if (!end) {
      this.wrong('answered-once', `nothing is answered within ${PATIENCE_MS / 60_000} minutes`);
      throw this.breach!;
    }
    if ('error' in end) throw end.error;
    return (end as { value: T }).value;
  }

  /** Until nothing happens any more. */
  async #rest(): Promise<void> {
    const until = this.timeline.now() + 24 * PATIENCE_MS;
    let [last, since, moments] = [-1, this.timeline.now(), 0];
    const isBusy = (): boolean =>
      this.#pending.size > 0 || (['queued', 'leased'] as const).some((place) => this.#placed(place) > 0);
    while (!this.breach && (isBusy() || this.timeline.now() < since + STILL_MS)) {
      if (!(await this.timeline.step())) break;
      this.#look();
      const { length } = this.#story;
      if (length !== last) [last, since] = [length, this.timeline.now()];
      if (this.timeline.now() > until || ++moments > MOST_MOMENTS)
        return this.wrong('nothing-waits', `it never rests: ${[...this.#pending].map(({ what }) => what).join(', ')}`);
    }
    if (isBusy()) this.wrong('nothing-waits', 'nothing is due any more, and somebody waits');
  }

  #placed(place: 'queued' | 'leased'): number {
    return this.#records.scheduledItems.where('place', place).length;
  }

  /** Why somebody waits for nobody, if that is so. */
  #forgotten(): string | undefined {
    const { records, ledger } = this.#up;
    try {
      checkAtRest({ records, look: ledger.look, budgets: BUDGETS, mostAtOnce: Infinity }, this.timeline.now());
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async #checkList(): Promise<void> {
    const { json } = await this.#until(this.#ask({ operation: named('attention.list'), input: {}, as: 'read' }));
    const { items } = json as { items: { kind: string; id: string; blocks: number }[] };
    this.#check('attention', () => checkAttention(this.#records, items));
  }
}

class Refused extends Error {}

function unlessBug(error: unknown): void {
  if (!isMade(error)) throw error;
}

/** Whether the world has made it fail. */
function isMade(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (isMadeText(at.message)) return true;
  return false;
}

function isMadeText(text: string): boolean {
  return text.includes(NOT_THERE) || text.includes(GIT_FAILS) || text.includes('the simulated disk');
}

/** Without what is made anew for every answer. */
function plain(text: string): string {
  return text.replaceAll(/"requestId":"[^"]*"/g, '');
}
