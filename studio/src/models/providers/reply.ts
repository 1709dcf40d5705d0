/**
 * Turn assembler: collects a streamed turn and checks it when it is whole. Every call is of an offered tool, with an object as
 * input and an id of its own. A turn has calls if and only if it stops for them.
 */
import { z } from 'zod';
import type { ModelCall, ModelRequest, ModelTurn, ModelUsage } from '../provider.js';
import { ProviderError } from '../provider.js';
import { jsonMeant, toolMeant } from './lenient.js';
import { parseJson } from './parse-json.js';

/** Unusable reply. A model that is told so may do better. */
export class MalformedReply extends ProviderError {
  constructor(
    message: string,
    /** The unusable text. */
    readonly reply: string,
    spent?: ModelUsage,
  ) {
    super('malformed', message, undefined, spent);
  }
}

interface OpenCall {
  id: string;
  name: string;
  json: string;
}

const Input = z.record(z.string(), z.unknown());

export class Reply {
  text = '';
  stop: ModelTurn['stop'] | undefined;
  usage: ModelUsage | undefined;
  /** Whether it is complete. */
  isWhole = false;
  readonly #calls = new Map<number, OpenCall>();
  readonly #request: ModelRequest;
  readonly #onText: ((text: string) => void) | undefined;

  constructor(request: ModelRequest, onText?: (text: string) => void) {
    this.#request = request;
    this.#onText = onText;
  }

  get isLenient(): boolean {
    return this.#request.isLenient === true;
  }

  get hasBegun(): boolean {
    return this.usage !== undefined || this.text !== '' || this.#calls.size > 0;
  }

  addText(piece: string): void {
    if (piece === '') return;
    this.text += piece;
    this.#onText?.(piece);
  }

  /** Adds a piece of the call at this index. Inputs come as pieces of JSON. */
  addCall(index: number, { id = '', name = '', json = '' }: { id?: string; name?: string; json?: string }): void {
    const call = this.#calls.get(index) ?? { id: '', name: '', json: '' };
    if (call.id === '') call.id = id;
    if (call.name === '') call.name = name;
    call.json += json;
    this.#calls.set(index, call);
  }

  /** Checks and returns the whole turn. */
  finish(): ModelTurn {
    const { text, stop = 'end' } = this;
    const usage = this.spent();
    // A truncated turn may end inside a call: none of its calls counts.
    const calls = stop === 'length' || stop === 'refused' ? [] : this.#wholeCalls(usage);
    const isForCalls = calls.length > 0;
    return { text, calls, stop: isForCalls ? 'calls' : stop === 'calls' ? 'end' : stop, usage };
  }

  /** Reported usage, or an estimate. */
  spent(): ModelUsage {
    if (this.usage) return this.usage;
    const said = this.text.length + [...this.#calls.values()].reduce((sum, { json }) => sum + json.length, 0);
    return { inputTokens: tokensOf(requestLength(this.#request)), cachedInputTokens: 0, outputTokens: tokensOf(said) };
  }

  #wholeCalls(usage: ModelUsage): ModelCall[] {
    const taken = new Set(callIdsOf(this.#request));
    return [...this.#calls.entries()]
      .sort(([a], [b]) => a - b)
      .map(([, { id, name: said, json }]) => {
        const name = this.#nameOf(said, json, usage);
        const input = this.#inputOf(name, json, usage);
        // Some servers give every call the same id, or none.
        const callId = id !== '' && !taken.has(id) ? id : freeId(taken, this.#request.about?.turn);
        taken.add(callId);
        return { callId, name, input };
      });
  }

  #nameOf(said: string, json: string, usage: ModelUsage): string {
    const known = this.#request.tools.map((tool) => tool.name);
    const name = this.isLenient ? toolMeant(said, known) : said;
    if (known.includes(name)) return name;
    throw this.#malformed(
      `no tool is called ${JSON.stringify(said.slice(0, 100))}; there are ${known.join(', ') || 'none'}`,
      said,
      json,
      usage,
    );
  }

  #inputOf(name: string, json: string, usage: ModelUsage): ModelCall['input'] {
    const text = json.trim() === '' ? '{}' : json;
    const parsed = this.isLenient ? jsonMeant(text) : parseJson(text);
    const input = Input.safeParse(parsed);
    if (input.success) return input.data;
    const why = parsed === undefined ? 'is not JSON' : 'is not an object';
    throw this.#malformed(`the input of ${name} ${why}`, name, json, usage);
  }

  #malformed(why: string, name: string, json: string, usage: ModelUsage): MalformedReply {
    const said = [this.text, `${name}(${json})`].filter((part) => part !== '');
    return new MalformedReply(why, said.join('\n'), usage);
  }
}

/** Token estimate: four characters each. */
export function tokensOf(length: number): number {
  return Math.ceil(length / 4);
}

export function sumUsage(a: ModelUsage | undefined, b: ModelUsage): ModelUsage {
  if (!a) return b;
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
}

/** Fault with the usage before it added. */
export function withSpent(error: ProviderError, before: ModelUsage): ProviderError {
  const { fault, message, retryAfterMs, spent, status } = error;
  return new ProviderError(fault, message, retryAfterMs, spent ? sumUsage(before, spent) : before, status);
}

function requestLength({ system, messages, tools }: ModelRequest): number {
  return system.length + JSON.stringify(messages).length + JSON.stringify(tools).length;
}

function callIdsOf({ messages }: ModelRequest): string[] {
  return messages.flatMap((one) => (one.role === 'assistant' ? one.calls.map(({ callId }) => callId) : []));
}

/** Unused call id, with the turn in it where that is known: earlier calls may have been compacted away. */
function freeId(taken: ReadonlySet<string>, turn: number | undefined): string {
  const prefix = turn === undefined ? 'call' : `call-${turn}`;
  let count = 1;
  while (taken.has(`${prefix}-${count}`)) count += 1;
  return `${prefix}-${count}`;
}
