/**
 * Observers: watch what is recorded where words of their domain occur, ask a model one question each, and record what follows
 * for their domain. They are off by default, spend from the same budgets, and hold up nothing.
 */
import { agent } from '../record/aggregates/agent/agent.js';
import { artifact } from '../record/aggregates/artifact/artifact.js';
import { conversationEntry } from '../record/aggregates/conversation-entry/conversation-entry.js';
import type { ConversationEntry } from '../record/aggregates/conversation-entry/conversation-entry.js';
import { goal } from '../record/aggregates/goal/goal.js';
import { options } from '../record/aggregates/options/options.js';
import { session } from '../record/aggregates/session/session.js';
import type { StoredEvent } from '../record/ledger/stream.js';
import { idsOfTree } from '../rules/goals/tree.js';
import { modelFor } from '../rules/queue/model-for.js';
import type { StudioLog } from '../log.js';
import type { AskingParts } from './asking-parts.js';
import type { ChosenModel } from '../models/chosen-model.js';
import { callsOf } from '../models/conversation.js';
import { type Look, looksDue, mayBeLookedAt } from './looks.js';
import { type ModelRequest, ProviderError } from '../models/provider.js';
import { SHORT_ANSWER_TOKENS, callerOf, put, setAside, toWellFormed } from '../models/question.js';
import { observerText } from './system-text.js';
import type { Tools } from './tools.js';

export interface ObserverParts extends AskingParts {
  readonly tools: Tools;
  readonly log: StudioLog;
}

/** Tools of an observer. */
const ALLOWED = ['artifact_record'];
const KINDS: readonly unknown[] = ['Constraint', 'Research'];

export class Observers {
  readonly #parts: ObserverParts;
  /** Artifacts that may need an observation. */
  readonly #open = new Set<string>();
  #looking: Promise<void> = Promise.resolve();
  /** Observation under way. */
  #now: { readonly look: Look; readonly stop: AbortController } | undefined;
  #isClosed = false;
  readonly #unfollow: () => void;

  constructor(parts: ObserverParts) {
    this.#parts = parts;
    this.#unfollow = parts.ledger.feed.onEvent(({ stored }) => this.#note(stored));
    this.#lookAgain();
  }

  async settled(): Promise<void> {
    await this.#looking;
  }

  /** Aborts the observation under way; it is made again after the next start. */
  async stop(): Promise<void> {
    this.#isClosed = true;
    this.#unfollow();
    this.#now?.stop.abort();
    await this.#looking;
  }

  #note({ aggregate, id, meta }: StoredEvent): void {
    const { ledger, records } = this.#parts;
    if (this.#now && !mayBeLookedAt(ledger.look, records, this.#now.look.unit)) this.#now.stop.abort();
    if (aggregate === artifact.name) this.#mayHaveToLook(id);
    // Paused goals may have resumed, or other observers were enabled.
    else if (aggregate === goal.name || aggregate === options.name) this.#lookAgain();
    // So may sessions and agents, and who is taken on may want others.
    else if (meta.workUnitId !== undefined && (aggregate === session.name || aggregate === agent.name))
      for (const workUnitId of idsOfTree(records, meta.workUnitId))
        for (const { artifactId } of records.artifacts.where('owner', workUnitId)) this.#mayHaveToLook(artifactId);
  }

  #lookAgain(): void {
    for (const { artifactId } of this.#parts.records.artifacts.all()) this.#mayHaveToLook(artifactId);
  }

  #mayHaveToLook(artifactId: string): void {
    if (this.#isClosed) return;
    const isFirst = this.#open.size === 0;
    this.#open.add(artifactId);
    if (isFirst) this.#looking = this.#looking.then(() => this.#lookAtAll());
  }

  async #lookAtAll(): Promise<void> {
    const { ledger, records, log } = this.#parts;
    for (const artifactId of this.#open) {
      this.#open.delete(artifactId);
      const recorded = records.artifacts.get(artifactId);
      for (const look of recorded ? looksDue(ledger.look, records, recorded) : []) {
        if (this.#isClosed) return;
        const { name: observer } = look.observer;
        await this.#lookAt(look).catch((error: unknown) =>
          log({ level: 'error', message: 'an observer failed', about: { observer, artifactId }, error }),
        );
      }
    }
  }

  async #lookAt(look: Look): Promise<void> {
    const stop = new AbortController();
    this.#now = { look, stop };
    try {
      const { conversationEntries } = this.#parts.records;
      if (conversationEntries.get(look.logId)?.phase !== 'answered') await this.#ask(look, stop.signal);
      const entry = conversationEntries.get(look.logId);
      if (entry?.phase === 'answered') await this.#record(look, entry);
    } finally {
      this.#now = undefined;
    }
  }

  async #ask(look: Look, signal: AbortSignal): Promise<void> {
    const { ledger, records, tools, models, budgets } = this.#parts;
    const { logId } = look;
    const { name: agentId } = look.observer;
    const { workUnitId } = look.unit;
    const model = await models(modelFor(ledger.look, records, workUnitId, agentId), { profileId: agentId });
    const request = requestOf(look, model, tools);
    const [first] = request.messages;
    const asked = await ledger.change(callerOf(agentId), (change) => {
      const given = setAside(change, records, { workUnitId, agentId, model }, request, budgets(workUnitId));
      // The remaining budget is for those who do the work.
      if ('exhausted' in given) return undefined;
      change.run(conversationEntry, logId, 'ask', {
        logId,
        workUnitId,
        agentId,
        agentRole: 'Observe',
        cycleNumber: 1,
        run: 0,
        schedule: 0,
        generation: 0,
        provider: model.provider.name,
        model: model.model,
        said: first?.text,
        told: [look.artifact.artifactId],
        reserved: given.reserved,
      });
      return { request: { ...request, maxTokens: given.outputTokens }, longestMs: given.longestMs };
    });
    if (!asked) return;
    try {
      await put(ledger, { logId, workUnitId, agentId, generation: 0, model }, asked, signal);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      if (this.#isClosed) return;
      const { fault, message: reason } = error;
      await ledger.change(callerOf(agentId), (change) => {
        const failed = { logId, workUnitId, agentId, generation: 0, fault, reason, isCharged: true };
        change.run(conversationEntry, logId, 'fail', failed);
      });
    }
  }

  /** Records what the model reported, with idempotency keys: nothing is recorded twice after a crash. */
  async #record({ observer, unit, logId }: Look, entry: ConversationEntry): Promise<void> {
    const { ledger, tools } = this.#parts;
    const { name: agentId, titlePrefix } = observer;
    const { workUnitId } = unit;
    const toolResults: ConversationEntry['toolResults'] = [];
    for (const [index, { callId, name, input }] of callsOf(entry).entries()) {
      const isAllowed = KINDS.includes(input['type']);
      const said = typeof input['title'] === 'string' ? input['title'] : '';
      const title = said.startsWith(titlePrefix) ? said : `${titlePrefix}${said}`;
      const call = {
        agentId,
        workUnitId,
        allowed: ALLOWED,
        name,
        input: { ...input, title },
        key: `${logId}/${index}`,
      };
      const { text, isError } = isAllowed
        ? await tools.call(call)
        : { text: `An observer records ${KINDS.join(' or ')}, and nothing else.`, isError: true };
      toolResults.push({
        toolUseId: callId,
        result: toWellFormed(text),
        truncated: false,
        ...(isError ? { isError } : {}),
      });
    }
    await ledger.change(callerOf(agentId), (change) =>
      change.run(conversationEntry, logId, 'use', { logId, workUnitId, toolResults }),
    );
  }
}

function requestOf(look: Look, { model }: ChosenModel, tools: Tools): ModelRequest {
  const { observer, unit } = look;
  const { type, title = '', body = '' } = look.artifact;
  const [first = ''] = unit.goal.split('\n');
  return {
    model,
    maxTokens: SHORT_ANSWER_TOKENS,
    about: { role: observer.name, unit: unit.workUnitId, title: first, turn: 0 },
    system: observerText(observer.name, observer.keywords),
    messages: [{ role: 'user', text: `Goal: ${unit.goal}\n\nRecorded (${type}): ${title}\n${body}` }],
    tools: tools.tools(ALLOWED).map(({ name, description = '', inputSchema }) => ({
      name,
      description,
      input: inputSchema,
    })),
  };
}
