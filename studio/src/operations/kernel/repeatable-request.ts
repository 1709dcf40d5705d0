/**
 * Idempotent request: one that names itself is carried out once. Repeated, it gets the first answer, and nothing is done again.
 *
 * The answer is stored in the change that it answers, so there is never one without the other; a request that had nothing to
 * change stores it alone.
 */
import { command, localCommand } from '../../record/aggregates/command/command.js';
import type { Change } from '../../record/ledger/change.js';
import type { Ledger } from '../../record/ledger/ledger.js';
import type { Records } from '../../record/views/records.js';
import { refusal } from '../../reasons.js';
import type { Answer } from './answer.js';

export interface RequestName {
  readonly id: string;
  /** Who asks, in whose name the answer is stored. */
  readonly caller: string;
  readonly operation: string;
  /** SHA-256 of the input. */
  readonly input: string;
}

/** Answer of the first time. */
type Repeated = Answer & { readonly isRepeated: true };

export class RepeatableRequest {
  readonly #ledger: Ledger;
  readonly #records: Records;
  readonly #name: RequestName;
  #decided: { readonly answer: unknown; readonly shown: unknown } | undefined;

  constructor({ ledger, records }: { readonly ledger: Ledger; readonly records: Records }, name: RequestName) {
    this.#ledger = ledger;
    this.#records = records;
    this.#name = name;
  }

  /** Name of this very request, which another input has not. */
  get call(): string {
    return `${this.#name.id}/${this.#name.input}`;
  }

  /** Carries it out, unless it was answered before or is answered by its twin meanwhile. */
  async once<Given extends Answer>(carryOut: () => Promise<Given>): Promise<Given | Repeated> {
    const before = this.#earlier();
    if (before) return before;
    try {
      const answer = await carryOut();
      // Its twin may have been answered meanwhile, with another answer where that tells of when and how long.
      return (await this.#keepAlone(answer.data)) ?? answer;
    } catch (error) {
      const meanwhile = this.#earlier();
      if (meanwhile) return meanwhile;
      throw error;
    }
  }

  /** Does the work and stores its answer in the same change; `show` says what callers see, and no more of it is stored. */
  decide<T>(change: Change, work: (change: Change) => T, show: (answer: T) => unknown): T {
    // Its twin came first: it is answered by what that stored, in `once`.
    if (this.#earlier()) throw refusal('reject.busy', 'the same request has just been answered; repeat it');
    const answer = work(change);
    const shown = show(answer);
    // An answer without a change in the workgroup can tell of what is local, and only this host can be asked again.
    const kept = change.room === 'workgroup' ? command : localCommand;
    change.run(kept, this.#name.id, 'answer', this.#stored(shown));
    this.#decided = { answer, shown };
    return answer;
  }

  /** What callers see of an answer, where that was worked out when it was stored. */
  shownOf(answer: unknown): unknown {
    return this.#decided?.answer === answer ? this.#decided?.shown : undefined;
  }

  /** The answer of the first time; a refusal when the same name was used for something else. */
  #earlier(): Repeated | undefined {
    const { id, operation, input } = this.#name;
    const known = this.#records.commands.get(id) ?? this.#records.localCommands.get(id);
    if (!known) return undefined;
    if (known.operation === operation && known.input === input) return { data: known.answer, isRepeated: true };
    throw refusal('reject.idempotency_key_reused', 'this idempotency key was used for another request');
  }

  /** Keeps the answer of a request that had nothing to change, so that its name means nothing else later; or answers what its twin has kept. */
  async #keepAlone(answer: unknown): Promise<Repeated | undefined> {
    if (this.#decided) return undefined;
    return this.#ledger.change(this.#name.caller, (change) => {
      const before = this.#earlier();
      if (!before) change.run(localCommand, this.#name.id, 'answer', this.#stored(answer));
      return before;
    });
  }

  #stored(answer: unknown) {
    const { operation, input } = this.#name;
    return { operation, input, answer: asJson(answer) };
  }
}

function asJson(value: unknown): unknown {
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? null : JSON.parse(text);
}
