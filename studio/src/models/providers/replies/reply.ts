/**
 * Turn assembler: collects a streamed turn and checks it when it is whole. Every call is of an offered tool, with an object as
 * input and an id of its own. A turn that was cut keeps the calls that were whole before the cut, and names the one that was not.
 */
import { z } from 'zod';
import type {
  CutCall,
  ModelCall,
  ModelRequest,
  ModelTurn,
  ModelUsage,
  NativeItem,
  NativeTurn,
} from '../../provider.js';
import { ProviderError } from '../../provider.js';
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
    super('malformed', message, { spent });
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
  /** Why the vendor says that the model refuses. */
  refusal: string | undefined;
  readonly #calls = new Map<number, OpenCall>();
  /** Vendor's own items by their index; a call has the index of its pieces. */
  readonly #native = new Map<number, unknown>();
  #keepsNative: 'bound' | 'free' | undefined;
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

  /** Keeps the vendor's own item at this index. */
  keep(index: number, item: unknown): void {
    this.#native.set(index, item);
  }

  /** The native items say something that text and calls do not: they are kept with the turn, bound to what stood before it or free. */
  mustKeep(how: 'bound' | 'free'): void {
    this.#keepsNative = how;
  }

  /** Checks and returns the whole turn, as one of this vendor's. */
  finish(vendor = ''): ModelTurn {
    const { text, refusal } = this;
    const usage = this.spent();
    const said = this.stop ?? 'end';
    const cut = said === 'length' || said === 'full' ? this.#takeCut() : undefined;
    const named = said === 'refused' ? new Map<number, ModelCall>() : this.#wholeCalls(usage);
    const calls = [...named.values()];
    const stop = said === 'end' && calls.length > 0 ? 'calls' : said === 'calls' && calls.length === 0 ? 'end' : said;
    const native = this.#nativeTurn(vendor, named);
    return {
      text,
      calls,
      stop,
      usage,
      ...(native && { native }),
      ...(cut && { cut }),
      ...(refusal === undefined ? {} : { refusal }),
    };
  }

  /** Takes the call out in the middle of which the answer ended: the last one, if its input is not whole. */
  #takeCut(): CutCall | undefined {
    const last = Math.max(...this.#calls.keys());
    const call = this.#calls.get(last);
    if (!call || Input.safeParse(parseJson(call.json)).success) return undefined;
    this.#calls.delete(last);
    this.#native.delete(last);
    return { tool: call.name, characters: call.json.length };
  }

  #nativeTurn(vendor: string, calls: ReadonlyMap<number, ModelCall>): NativeTurn | undefined {
    if (this.#keepsNative === undefined) return undefined;
    const places = [...new Set([...this.#native.keys(), ...calls.keys()])].sort((a, b) => a - b);
    const items = places.map((index): NativeItem => {
      const callId = calls.get(index)?.callId;
      return {
        ...(this.#native.has(index) ? { item: this.#native.get(index) } : {}),
        ...(callId === undefined ? {} : { callId }),
      };
    });
    return { vendor, model: this.#request.model, items, isBound: this.#keepsNative === 'bound' };
  }

  /** Reported usage, or an estimate. */
  spent(): ModelUsage {
    if (this.usage) return this.usage;
    const said = this.text.length + [...this.#calls.values()].reduce((sum, { json }) => sum + json.length, 0);
    return { inputTokens: tokensOf(requestLength(this.#request)), cachedInputTokens: 0, outputTokens: tokensOf(said) };
  }

  #wholeCalls(usage: ModelUsage): Map<number, ModelCall> {
    const taken = new Set(callIdsOf(this.#request));
    const ordered = [...this.#calls.entries()].sort(([a], [b]) => a - b);
    return new Map(
      ordered.map(([index, { id, name: said, json }]) => {
        const name = this.#nameOf(said, json, usage);
        const input = this.#inputOf(name, json, usage);
        // Some servers give every call the same id, or none.
        const callId = id !== '' && !taken.has(id) ? id : freeId(taken, this.#request.about?.turn);
        taken.add(callId);
        return [index, { callId, name, input }];
      }),
    );
  }

  #nameOf(said: string, json: string, usage: ModelUsage): string {
    const known = this.#request.tools.map((tool) => tool.name);
    const name = this.isLenient ? toolMeant(said, known) : said;
    if (known.includes(name) || this.#request.unlisted?.includes(name)) return name;
    // A vendor with calls of its own keeps this one in the conversation: it is answered there, as one that was refused.
    if (this.#keepsNative !== undefined && TOOL_NAME.test(name)) return name;
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

/** Names that every vendor takes back. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Token estimate: four characters each. */
export function tokensOf(length: number): number {
  return Math.ceil(length / 4);
}

export function sumUsage(a: ModelUsage | undefined, b: ModelUsage): ModelUsage {
  if (!a) return b;
  const written = (a.cacheWriteTokens ?? 0) + (b.cacheWriteTokens ?? 0);
  const isPriced = a.microUsd !== undefined || b.microUsd !== undefined;
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...(written === 0 ? {} : { cacheWriteTokens: written }),
    ...(isPriced && { microUsd: (a.microUsd ?? 0) + (b.microUsd ?? 0) }),
  };
}

/** Fault with the usage before it added. */
export function withSpent(error: ProviderError, before: ModelUsage): ProviderError {
  return withUsage(error, error.spent ? sumUsage(before, error.spent) : before);
}

/** Fault with another usage. */
export function withUsage(
  { fault, message, retryAfterMs, status, code }: ProviderError,
  spent: ModelUsage,
): ProviderError {
  return new ProviderError(fault, message, { retryAfterMs, spent, status, code });
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
