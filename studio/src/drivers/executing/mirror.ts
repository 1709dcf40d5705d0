/**
 * Mirror of a program at work: what it says, calls and is answered becomes cycles of the unit's transcript while it happens. They are
 * beside the conversation: what the program was asked and what that has cost is recorded as for any model. Texts and their number are
 * bounded; what is left out is said.
 */
import { conversationEntry } from '../../record/aggregates/conversation-entry/conversation-entry.js';
import type { ConversationEntry } from '../../record/aggregates/conversation-entry/conversation-entry.js';
import type { Ledger } from '../../record/ledger/ledger.js';
import type { Heard } from '../../models/executor.js';
import { callerOf, toWellFormed } from '../../models/question.js';

const MOST_SAID = 16 << 10;
const MOST_INPUT = 8 << 10;
const MOST_ANSWER = 8 << 10;
const MOST_STEPS = 1000;

type Step = Pick<ConversationEntry, 'toolCalls' | 'toolResults'> & { assistantText: string };
export type About = Pick<ConversationEntry, 'workUnitId' | 'agentId' | 'agentRole' | 'provider' | 'model' | 'taskId'>;

export class Mirror {
  readonly #ledger: Pick<Ledger, 'change'>;
  readonly #about: About;
  #step: Step = { assistantText: '', toolCalls: [], toolResults: [] };
  #steps = 0;
  #told = Promise.resolve();

  constructor(ledger: Pick<Ledger, 'change'>, about: About) {
    this.#ledger = ledger;
    this.#about = about;
  }

  /** Steps so far: a word or a call after an answer begins another. */
  get steps(): number {
    return this.#steps;
  }

  hear(heard: Heard): void {
    const { toolCalls, toolResults } = this.#step;
    if ((heard.kind === 'said' || heard.kind === 'called') && toolResults.length > 0) this.#flush();
    const step = this.#step;
    switch (heard.kind) {
      case 'said':
        step.assistantText = (step.assistantText + heard.text).slice(0, MOST_SAID);
        return;
      case 'called': {
        const { callId: toolUseId, name, input } = heard.call;
        step.toolCalls.push({ toolUseId, name, inputJson: boundedJson(input) });
        return;
      }
      case 'answered': {
        const { callId: toolUseId, text, isError } = heard;
        if (!toolCalls.some((call) => call.toolUseId === toolUseId)) return;
        const result = toWellFormed(text.slice(0, MOST_ANSWER));
        step.toolResults.push({ toolUseId, result, truncated: text.length > MOST_ANSWER, ...(isError && { isError }) });
        return;
      }
      default:
    }
  }

  /** Records the last step; rejects when something could not be recorded. */
  async end(): Promise<void> {
    this.#flush();
    await this.#told;
  }

  #flush(): void {
    const step = this.#step;
    this.#step = { assistantText: '', toolCalls: [], toolResults: [] };
    if (step.assistantText === '' && step.toolCalls.length === 0) return;
    this.#steps += 1;
    if (this.#steps > MOST_STEPS) return;
    const { assistantText, ...rest } = this.#steps < MOST_STEPS ? step : LEFT_OUT;
    const cycleNumber = this.#steps;
    const told = this.#told.then(() =>
      this.#ledger.change(callerOf(this.#about.agentId), (change) => {
        const logId = change.newId('log-');
        const said = toWellFormed(assistantText);
        change.run(conversationEntry, logId, 'record', {
          ...this.#about,
          ...rest,
          assistantText: said,
          logId,
          cycleNumber,
        });
      }),
    );
    // Rejections surface in `end`, not before.
    told.catch(() => undefined);
    this.#told = told;
  }
}

const LEFT_OUT: Step = {
  assistantText: `It goes on; of one run ${MOST_STEPS} steps are kept.`,
  toolCalls: [],
  toolResults: [],
};

/** Input of a call as JSON; of one that is too large its beginning. */
function boundedJson(input: Readonly<Record<string, unknown>>): string {
  const json = toWellFormed(JSON.stringify(input));
  return json.length <= MOST_INPUT ? json : JSON.stringify({ cut: json.slice(0, MOST_INPUT), characters: json.length });
}
