/**
 * Profile choice by a model, with one question that is recorded and paid for like any other. What it answered before a crash is
 * not asked again.
 */
import { Rejection } from '@weft/core';
import type { AgentProfile } from '../record/aggregates/agent-profile/state.js';
import { conversationEntry } from '../record/aggregates/conversation-entry/conversation-entry.js';
import type { ConversationEntry } from '../record/aggregates/conversation-entry/conversation-entry.js';
import type { WorkUnit } from '../record/aggregates/work-unit/state.js';
import { modelFor } from '../rules/queue/model-for.js';
import { COORDINATOR } from '../rules/queue/reinvoke.js';
import type { AskingParts } from './asking-parts.js';
import type { ChosenModel } from '../models/chosen-model.js';
import { callsOf } from '../models/conversation.js';
import { mayBeLookedAt } from './looks.js';
import { type ModelRequest, ProviderError } from '../models/provider.js';
import role from './roles/profile-choice.md';
import { type Asked, callerOf, put, setAside } from '../models/question.js';

export interface Chosen {
  readonly profileId?: string;
  readonly reason: string;
}

const TOOL = 'choose_profile';
/** Characters of a profile's prompt shown to the model. */
const LONGEST_PROMPT = 600;

export class ProfileChoice {
  readonly #parts: AskingParts;
  readonly #asking = new Map<WorkUnit, AbortController>();
  #isClosed = false;
  readonly #unfollow: () => void;

  constructor(parts: AskingParts) {
    this.#parts = parts;
    this.#unfollow = parts.ledger.feed.onEvent(() => {
      for (const [unit, stop] of this.#asking) if (!mayBeLookedAt(parts.ledger.look, parts.records, unit)) stop.abort();
    });
  }

  /** Aborts questions under way; they are asked again after the next start. */
  stop(): void {
    this.#isClosed = true;
    this.#unfollow();
    for (const stop of this.#asking.values()) stop.abort();
  }

  /** Asks for a profile; undefined when the question was aborted. */
  async choose(unit: WorkUnit, among: readonly AgentProfile[]): Promise<Chosen | undefined> {
    const { records } = this.#parts;
    const logId = `choice-${unit.workUnitId}`;
    const before = records.conversationEntries.get(logId);
    if (before && before.phase !== 'asked') return chosenIn(before, among);
    if (this.#isClosed) return undefined;
    const stop = new AbortController();
    this.#asking.set(unit, stop);
    try {
      const refused = await this.#ask(unit, among, logId, stop.signal);
      if (refused !== undefined) return { reason: refused };
      return stop.signal.aborted ? undefined : chosenIn(records.conversationEntries.get(logId), among);
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      // An unknown model, for example: work does not wait for the choice.
      return { reason: error.message };
    } finally {
      this.#asking.delete(unit);
    }
  }

  /** Asks one question. Answers why it could not be asked. */
  async #ask(
    unit: WorkUnit,
    among: readonly AgentProfile[],
    logId: string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { ledger, records, models, budgets } = this.#parts;
    const { workUnitId } = unit;
    const profileId = 'orchestrator';
    const model = await models(modelFor(ledger.look, records, workUnitId, profileId), { profileId });
    const request = requestOf(unit, among, model);
    const asked = await ledger.change(callerOf(COORDINATOR), (change): Asked | string => {
      const given = setAside(
        change,
        records,
        { workUnitId, agentId: COORDINATOR, model },
        request,
        budgets(workUnitId),
      );
      if ('exhausted' in given) return given.reason;
      change.run(conversationEntry, logId, 'ask', {
        logId,
        workUnitId,
        agentId: COORDINATOR,
        agentRole: 'Orchestrate',
        cycleNumber: 1,
        run: 0,
        schedule: 0,
        generation: 0,
        provider: model.provider.name,
        model: model.model,
        said: request.messages[0]?.text,
        told: [],
        reserved: given.reserved,
      });
      return { request: { ...request, maxTokens: given.outputTokens }, longestMs: given.longestMs };
    });
    if (typeof asked === 'string') return asked;
    const question = { logId, workUnitId, agentId: COORDINATOR, generation: 0, model };
    try {
      const { calls } = await put(ledger, question, asked, signal);
      const toolResults = calls.map(({ callId }) => ({ toolUseId: callId, result: 'Noted.', truncated: false }));
      await ledger.change(callerOf(COORDINATOR), (change) =>
        change.run(conversationEntry, logId, 'use', { logId, workUnitId, toolResults }),
      );
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      if (signal.aborted) return undefined;
      const { fault, message: reason } = error;
      const failed = { logId, workUnitId, agentId: COORDINATOR, generation: 0, fault, reason, isCharged: true };
      await ledger.change(callerOf(COORDINATOR), (change) => {
        change.run(conversationEntry, logId, 'fail', failed);
      });
    }
    return undefined;
  }
}

function chosenIn(entry: ConversationEntry | undefined, among: readonly AgentProfile[]): Chosen {
  const [call] = entry ? callsOf(entry) : [];
  const { profileId, reason } = call?.input ?? {};
  const found = among.find(({ agentProfileId }) => agentProfileId === profileId);
  if (!found) return { reason: 'the model has chosen none' };
  return { profileId: found.agentProfileId, reason: typeof reason === 'string' ? reason : 'the model gave no reason' };
}

function requestOf(unit: WorkUnit, among: readonly AgentProfile[], { model }: ChosenModel): ModelRequest {
  const { workUnitId, goal, fileScope } = unit;
  const offered = among.map(({ agentProfileId, name, systemPrompt, fileScopePatterns: patterns }) => {
    const files = patterns.length === 0 ? 'any files' : patterns.join(', ');
    return `${agentProfileId} (${name}; for ${files}): ${systemPrompt.slice(0, LONGEST_PROMPT)}`;
  });
  const files = fileScope.length === 0 ? [] : [`It may change: ${fileScope.join(', ')}`];
  return {
    model,
    maxTokens: 1000,
    about: { role: 'orchestrator', unit: workUnitId, title: goal.split('\n')[0] ?? '', turn: 0 },
    system: role.trim(),
    messages: [{ role: 'user', text: [`Goal: ${goal}`, ...files, 'Profiles:', ...offered].join('\n\n') }],
    tools: [
      {
        name: TOOL,
        description: 'Choose who works on the task.',
        input: {
          type: 'object',
          properties: {
            profileId: { type: 'string', enum: among.map(({ agentProfileId }) => agentProfileId) },
            reason: { type: 'string', description: 'Why, in one sentence.' },
          },
          required: ['profileId', 'reason'],
        },
      },
    ],
  };
}
