/**
 * A model's turn while it comes in pieces, and what is checked of it when it is whole: every call is of a tool that was
 * offered, with an object as input and an id of its own. A turn has calls if and only if it stops for them.
 */
import { z } from 'zod';
import type { ModelCall, ModelRequest, ModelTurn, ModelUsage } from '../provider.js';
import { ProviderError } from '../provider.js';

/** A reply that cannot be used. Whoever is told so may do better. */
export class MalformedReply extends ProviderError {
  constructor(
    message: string,
    /** What was said instead. */
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
  /** Whether its end has come. */
  isWhole = false;
  readonly #calls = new Map<number, OpenCall>();
  readonly #request: ModelRequest;
  readonly #onText: ((text: string) => void) | undefined;

  constructor(request: ModelRequest, onText?: (text: string) => void) {
    this.#request = request;
    this.#onText = onText;
  }

  get hasBegun(): boolean {
    return this.usage !== undefined || this.text !== '' || this.#calls.size > 0;
  }

  addText(piece: string): void {
    if (piece === '') return;
    this.text += piece;
    this.#onText?.(piece);
  }

  /** What is known of the call at this place so far. Inputs come as pieces of JSON. */
  addCall(place: number, { id = '', name = '', json = '' }: { id?: string; name?: string; json?: string }): void {
    const call = this.#calls.get(place) ?? { id: '', name: '', json: '' };
    if (call.id === '') call.id = id;
    if (call.name === '') call.name = name;
    call.json += json;
    this.#calls.set(place, call);
  }

  /** The whole turn. */
  finish(): ModelTurn {
    const { text, stop = 'end' } = this;
    const usage = this.spent();
    // A turn that was cut off may end inside a call: none of its calls counts.
    const calls = stop === 'length' || stop === 'refused' ? [] : this.#wholeCalls(usage);
    const isForCalls = calls.length > 0;
    return { text, calls, stop: isForCalls ? 'calls' : stop === 'calls' ? 'end' : stop, usage };
  }

  /** What was told of the costs, or what they must be about. */
  spent(): ModelUsage {
    if (this.usage) return this.usage;
    const said = this.text.length + [...this.#calls.values()].reduce((sum, { json }) => sum + json.length, 0);
    return { inputTokens: tokensOf(requestLength(this.#request)), cachedInputTokens: 0, outputTokens: tokensOf(said) };
  }

  #wholeCalls(usage: ModelUsage): ModelCall[] {
    const taken = new Set(callIdsOf(this.#request));
    return [...this.#calls.entries()]
      .sort(([a], [b]) => a - b)
      .map(([, { id, name, json }]) => {
        const input = this.#inputOf(name, json, usage);
        // Some servers name every call alike, or not at all.
        const callId = id !== '' && !taken.has(id) ? id : freeId(taken);
        taken.add(callId);
        return { callId, name, input };
      });
  }

  #inputOf(name: string, json: string, usage: ModelUsage): ModelCall['input'] {
    const known = this.#request.tools.map((tool) => tool.name);
    const said = [this.text, `${name}(${json})`].filter((part) => part !== '').join('\n');
    if (!known.includes(name))
      throw new MalformedReply(
        `no tool is called ${quoted(name)}; there are ${known.join(', ') || 'none'}`,
        said,
        usage,
      );
    const parsed = parseJson(json.trim() === '' ? '{}' : json);
    const input = Input.safeParse(parsed);
    if (!input.success)
      throw new MalformedReply(
        parsed === undefined ? `the input of ${name} is not JSON` : `the input of ${name} is not an object`,
        said,
        usage,
      );
    return input.data;
  }
}

/** Undefined if it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Four characters are about a token, where nobody has counted. */
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

/** The same fault, with what was spent before it too. */
export function withSpent({ fault, message, retryAfterMs, spent }: ProviderError, before: ModelUsage): ProviderError {
  return new ProviderError(fault, message, retryAfterMs, spent ? sumUsage(before, spent) : before);
}

function requestLength({ system, messages, tools }: ModelRequest): number {
  return system.length + JSON.stringify(messages).length + JSON.stringify(tools).length;
}

function callIdsOf({ messages }: ModelRequest): string[] {
  return messages.flatMap((one) => (one.role === 'assistant' ? one.calls.map(({ callId }) => callId) : []));
}

function freeId(taken: ReadonlySet<string>): string {
  let count = taken.size + 1;
  while (taken.has(`call-${count}`)) count += 1;
  return `call-${count}`;
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}
