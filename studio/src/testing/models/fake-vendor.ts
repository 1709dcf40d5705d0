/** Servers on this machine that speak as vendors of models do, and say what a test wants. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface PlayedCall {
  readonly name: string;
  /** A text is sent as it is, as JSON that may be none. */
  readonly input: Readonly<Record<string, unknown>> | string;
  readonly callId?: string;
}

export interface PlayedReply {
  readonly text?: string;
  readonly calls?: readonly PlayedCall[];
  readonly stop?: 'length';
}

/** What is played in place of a reply: it says nothing, breaks off, has no time, no right for anybody. */
export type PlayedFault = 'hang' | 'half' | 'busy' | 'no-right';
export type Played = PlayedReply | PlayedFault;

export interface Vendor {
  readonly name: 'anthropic' | 'openai';
  /** Every event of the stream of a reply, as text. */
  events(reply: PlayedReply): readonly string[];
}

const USAGE = { input: 100, cached: 40, output: 7 };
export const PLAYED_USAGE = { inputTokens: 140, cachedInputTokens: 40, outputTokens: 7 };

const anthropicVendor: Vendor = {
  name: 'anthropic',
  events({ text = '', calls = [], stop }) {
    const event = (type: string, fields: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
    const delta = (index: number, given: object) => event('content_block_delta', { index, delta: given });
    return [
      event('message_start', {
        message: { usage: { input_tokens: USAGE.input, cache_read_input_tokens: USAGE.cached, output_tokens: 1 } },
      }),
      event('ping', {}),
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      ...halves(text).map((piece) => delta(0, { type: 'text_delta', text: piece })),
      event('content_block_stop', { index: 0 }),
      ...calls.flatMap(({ name, input, callId }, place) => [
        event('content_block_start', {
          index: place + 1,
          content_block: { type: 'tool_use', id: callId ?? `toolu_${place}`, name, input: {} },
        }),
        ...halves(jsonOf(input)).map((piece) => delta(place + 1, { type: 'input_json_delta', partial_json: piece })),
        event('content_block_stop', { index: place + 1 }),
      ]),
      event('message_delta', {
        delta: { stop_reason: stop === 'length' ? 'max_tokens' : calls.length > 0 ? 'tool_use' : 'end_turn' },
        usage: { output_tokens: USAGE.output },
      }),
      event('message_stop', {}),
    ];
  },
};

export const openaiVendor: Vendor = {
  name: 'openai',
  events({ text = '', calls = [], stop }) {
    const chunk = (fields: object) => `data: ${JSON.stringify({ object: 'chat.completion.chunk', ...fields })}\n\n`;
    const delta = (given: object, finish: string | null = null) =>
      chunk({ choices: [{ index: 0, delta: given, finish_reason: finish }] });
    return [
      delta({ role: 'assistant', content: '' }),
      ...halves(text).map((piece) => delta({ content: piece })),
      ...calls.flatMap(({ name, input, callId }, index) => [
        delta({
          tool_calls: [{ index, id: callId ?? `call_${index}`, type: 'function', function: { name, arguments: '' } }],
        }),
        ...halves(jsonOf(input)).map((piece) => delta({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
      delta({}, stop ?? (calls.length > 0 ? 'tool_calls' : 'stop')),
      chunk({
        choices: [],
        usage: {
          prompt_tokens: USAGE.input + USAGE.cached,
          prompt_tokens_details: { cached_tokens: USAGE.cached },
          completion_tokens: USAGE.output,
        },
      }),
      'data: [DONE]\n\n',
    ];
  },
};

export const vendors = [anthropicVendor, openaiVendor] as const;

export interface FakeServer {
  readonly url: string;
  /** What was asked so far. */
  readonly asked: string[];
  readonly headers: IncomingMessage['headers'][];
  /** How many wait for an answer, or for the rest of it. */
  open(): number;
  /** Resolves when nobody waits for an answer. Connections may stay open for the next one. */
  quiet(): Promise<void>;
}

export type Answer = (response: ServerResponse, request: IncomingMessage, body: string) => void | Promise<void>;

/** Gives one answer after the other, and the last one again and again. */
export async function fakeServer(answers: readonly Answer[]): Promise<FakeServer> {
  const asked: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  let open = 0;
  const server = createServer((request, response) => {
    let body = '';
    open += 1;
    response.on('close', () => (open -= 1));
    request.on('data', (bytes: Buffer) => (body += bytes.toString('utf8')));
    request.on('end', () => {
      asked.push(body);
      headers.push(request.headers);
      const answer = answers[Math.min(asked.length, answers.length) - 1];
      void answer?.(response, request, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    headers,
    open: () => open,
    async quiet() {
      while (open > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    },
  };
}

export function streamed(pieces: readonly string[]): Answer {
  return (response) => {
    begin(response);
    response.end(pieces.join(''));
  };
}

/** A stream that has begun. */
export function begin(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' });
}

export function refused(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** Any of a vendor's answers. */
export function answerOf(vendor: Vendor, played: Played): Answer {
  if (played === 'hang') return () => undefined;
  if (played === 'busy')
    return (response, request, body) =>
      refused(529, {
        error: { type: 'overloaded_error', message: `no time for ${request.headers.authorization ?? ''}` },
      })(response, request, body);
  if (played === 'no-right')
    return (response, request, body) =>
      refused(401, { error: { type: 'authentication_error', message: `bad ${request.headers.authorization ?? ''}` } })(
        response,
        request,
        body,
      );
  if (played === 'half') {
    const events = vendor.events({ text: 'half of what it had to say' });
    return streamed(events.slice(0, Math.floor(events.length / 2)));
  }
  return streamed(vendor.events(played));
}

function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== '');
}

function jsonOf(input: PlayedCall['input']): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}
