/**
 * Agent program in place of a model that calls the host's tools: a turn is one run of the program, from what it is told to where it ends
 * its turn. The loop around it is that of all agents, so limits, budgets, questions to people and ends of stages hold for it too.
 */
import type { Executor, Heard } from '../../models/executor.js';
import { NO_USAGE } from '../../models/executor.js';
import { costOf, spentSoFar } from '../../models/budgets.js';
import { cyclesOf } from '../../models/conversation.js';
import { usedSince } from '../../models/used-since.js';
import type {
  ModelMessage,
  ModelRequest,
  ModelTurn,
  ModelUsage,
  Provider,
  TurnOptions,
} from '../../models/provider.js';
import { ProviderError } from '../../models/provider.js';
import { sumUsage, withSpent, withUsage } from '../../models/providers/replies/reply.js';
import { isOver } from '../../record/aggregates/work-unit/status.js';
import { type Job, isOurs } from '../job.js';
import { LookedAt } from './looked-at.js';
import { Mirror } from './mirror.js';
import type { Place, Workplaces } from './workplaces.js';

export function executing(job: Job, executor: Executor, places: Workplaces): Provider {
  return { name: executor.name, turn: (request, options) => turn(job, executor, places, request, options) };
}

async function turn(
  job: Job,
  executor: Executor,
  places: Workplaces,
  request: ModelRequest,
  options: TurnOptions,
): Promise<ModelTurn> {
  const { item, agentId, profile } = job;
  const { allowedTools } = profile;
  let spent: ModelUsage | undefined;
  for (let again = 0; ; again += 1) {
    const place = await places.open(item, { agentId, allowedTools, executor: executor.name });
    const work = new Work(job, place, options);
    try {
      const done = await work.run(executor, request);
      return { ...done, usage: sumUsage(spent, done.usage) };
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      const whole = spent ? withSpent(error, spent) : error;
      if (!work.isBrokenOff || again >= MOST_AGAIN) throw whole;
      spent = whole.spent;
      options.onStartOver?.();
    } finally {
      await work.end();
    }
  }
}

/** Times that a program which dies in the middle of a turn goes on in its session: one that dies each time is for people to look at. */
const MOST_AGAIN = 2;

/** Faults that may mean a forgotten session: programs discard old ones, and say so in many ways. */
const mayHaveForgotten: ReadonlySet<string> = new Set(['refused', 'unreachable']);
const INTERRUPTED =
  'You were interrupted. Look at what is in the folder before you go on. Your task, as you were told:';

/** Time in which a program whose work waits, or is proposed, ends its turn. */
const GRACE_MS = 30_000;

/** One turn of a program. */
class Work {
  readonly #job: Job;
  readonly #place: Place;
  readonly #options: TurnOptions;
  readonly #mirror: Mirror;
  readonly #looked = new LookedAt();
  /** Aborted when the host itself or a person stops it: nothing of the turn is settled then. */
  readonly #halt = new AbortController();
  readonly #enough = new AbortController();
  #leaving: NodeJS.Timeout | undefined;
  #why = '';
  #usage: ModelUsage = NO_USAGE;
  /** What a session that counts all its runs had told before this one, and what it has told last. */
  #before: ModelUsage | undefined;
  #told: ModelUsage | undefined;
  #hasActed = false;
  /** Whether pieces were heard of what it is saying. */
  #isTold = false;
  #kept = Promise.resolve();
  #isBrokenOff = false;

  constructor(job: Job, place: Place, options: TurnOptions) {
    const { parts, item, agentId, profile, model } = job;
    this.#job = job;
    this.#place = place;
    this.#options = options;
    this.#mirror = new Mirror(parts.ledger, {
      workUnitId: item.workUnitId,
      agentId,
      agentRole: profile.stage,
      taskId: item.taskId,
      provider: model.provider.name,
      model: model.model,
    });
  }

  /** Whether the program died in the middle of its work, which nobody has stopped. */
  get isBrokenOff(): boolean {
    return this.#isBrokenOff;
  }

  async run(executor: Executor, request: ModelRequest): Promise<ModelTurn> {
    const { session } = this.#place;
    const { signal } = this.#options;
    signal.addEventListener('abort', this.#onStop, { once: true });
    if (signal.aborted) this.#onStop();
    const attempt = (known: string | undefined): Promise<ModelTurn> => this.#attempt(executor, request, known);
    try {
      return await attempt(session).catch((error: unknown) => {
        const isForgotten = error instanceof ProviderError && mayHaveForgotten.has(error.fault) && !this.#hasActed;
        if (session === undefined || !isForgotten) throw error;
        this.#options.onStartOver?.();
        return attempt(undefined);
      });
    } catch (error) {
      const isStopped = this.#enough.signal.aborted || this.#halt.signal.aborted;
      this.#isBrokenOff =
        error instanceof ProviderError && error.fault === 'unreachable' && this.#hasActed && !isStopped;
      if (!this.#enough.signal.aborted || this.#halt.signal.aborted) throw error;
      return { text: `The program was stopped: ${this.#why}`, calls: [], stop: 'end', usage: this.#usage };
    }
  }

  /** A proposal takes the unit from its agent: the program is let to end its turn. All else that stops it means now. */
  readonly #onStop = (): void => {
    const { parts, item } = this.#job;
    const status = parts.records.workUnits.get(item.workUnitId)?.status;
    if (!isOurs(parts.ledger.look, item) && status !== undefined && !isOver(status)) this.#leave();
    else this.#halt.abort();
  };

  /** Gives the program some time to end its turn by itself. */
  #leave(): void {
    this.#leaving ??= setTimeout(() => {
      this.#why ||= 'its work waits, or others go on with it';
      this.#enough.abort();
    }, GRACE_MS);
  }

  /** Settles what was changed, unless the host is stopping: then the next turn finds what was broken off. */
  async end(): Promise<void> {
    clearTimeout(this.#leaving);
    this.#options.signal.removeEventListener('abort', this.#onStop);
    try {
      await Promise.all([this.#mirror.end(), this.#kept]);
      if (!this.#halt.signal.aborted) await this.#place.settle(this.#looked, this.#isBrokenOff, this.#told);
    } finally {
      this.#place.close();
    }
  }

  async #attempt(executor: Executor, request: ModelRequest, session: string | undefined): Promise<ModelTurn> {
    const { repositoryId, folder, home, door, wasInterrupted, changed, used } = this.#place;
    const isSummed = executor.counts === 'session';
    this.#before = isSummed && session !== undefined ? used : undefined;
    this.#told = this.#before;
    const { model, effort, system, messages } = request;
    const told = session === undefined ? 0 : messages.findLastIndex(({ role }) => role === 'assistant') + 1;
    const isCutOff = wasInterrupted && session !== undefined;
    const prompt = [
      ...(isCutOff ? [INTERRUPTED] : []),
      ...messages.slice(told).map(textOf),
      ...(session === undefined || changed.length === 0 ? [] : [changedText(changed)]),
    ].join('\n\n');
    const { injectApiKeyEnv: isKeyed } = this.#job.profile;
    const assignment = {
      model,
      effort,
      repositoryId,
      folder,
      home,
      door,
      system,
      prompt,
      isKeyed,
      ...(session !== undefined && { session }),
    };
    const signal = AbortSignal.any([this.#halt.signal, this.#enough.signal]);
    try {
      const done = await executor.run(assignment, { signal, hear: (heard) => this.#hear(heard, isSummed) });
      return { ...done, usage: this.#take(done.usage, isSummed) };
    } catch (error) {
      if (!(error instanceof ProviderError) || !error.spent) throw error;
      throw withUsage(error, this.#take(error.spent, isSummed));
    }
  }

  /** Usage of this run, by what was told last; what nobody has said costs what its tokens do. */
  #take(told: ModelUsage, isSummed: boolean): ModelUsage {
    const used = usedSince(told, this.#before);
    if (!used) return this.#usage;
    if (isSummed) this.#told = told;
    const { price } = this.#job.model;
    const isPriced = used.microUsd === undefined && price !== undefined;
    this.#usage = isPriced ? { ...used, microUsd: costOf(used, price) } : used;
    return this.#usage;
  }

  #hear(heard: Heard, isSummed: boolean): void {
    if (heard.kind === 'session') {
      const kept = this.#kept.then(() => this.#place.keepSession(heard.id));
      kept.catch(() => undefined);
      this.#kept = kept;
      return;
    }
    if (heard.kind === 'used') this.#take(heard.usage, isSummed);
    else this.#hasActed = true;
    if (heard.kind === 'called') this.#looked.note(heard.call);
    this.#tell(heard);
    this.#mirror.hear(heard);
    this.#why ||= this.#limitReached() ?? '';
    if (this.#why !== '') this.#enough.abort();
  }

  /** Tells who watches what it says, once: what came in pieces is not told again as a whole. */
  #tell(heard: Heard): void {
    if (heard.kind !== 'said' && heard.kind !== 'saying') return;
    if (heard.kind === 'saying' || !this.#isTold) this.#options.onText?.(heard.text);
    this.#isTold = heard.kind === 'saying';
  }

  /** Why the program is to stop; undefined while it may go on. */
  #limitReached(): string | undefined {
    const { parts, item, agentId, profile, model } = this.#job;
    const { maxIterations } = profile;
    if (this.#mirror.steps >= maxIterations) return `it has taken ${maxIterations} steps`;
    const { records, ledger } = parts;
    // A question to a person has parked the unit.
    if (!isOurs(ledger.look, item)) this.#leave();
    const budgets = parts.budgets(item.workUnitId);
    const spent = spentSoFar(records, ledger.look, item.workUnitId, agentId);
    const { reserved = { tokens: 0, microUsd: 0 } } = cyclesOf(records, item).at(-1) ?? {};
    const { inputTokens, outputTokens, microUsd = costOf(this.#usage, model.price) } = this.#usage;
    for (const scope of ['goal', 'unit', 'agent'] as const) {
      const { tokens = Number.POSITIVE_INFINITY, microUsd: money = Number.POSITIVE_INFINITY } = budgets[scope] ?? {};
      if (spent[scope].tokens - reserved.tokens + inputTokens + outputTokens > tokens)
        return `nothing is left of the tokens of the ${scope}`;
      if (spent[scope].microUsd - reserved.microUsd + microUsd > money)
        return `nothing is left of the money of the ${scope}`;
    }
    return undefined;
  }
}

function textOf(message: ModelMessage): string {
  return message.role === 'assistant' ? `You said before:\n${message.text}` : message.text;
}

function changedText(paths: readonly string[]): string {
  const most = paths.slice(0, 100).join('\n');
  return `Others have changed these files since your last turn. Read one before you change it:\n${most}`;
}
