import { type ClientRequest, request } from 'node:http';
import { onTestFinished } from 'vitest';
import { type TestStudio, testTokens } from '../test-studio.js';

export interface Received {
  readonly id: number;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/** A reader of server-sent events over a real connection, as much as a browser would be one. */
export class EventReader {
  readonly status: number;
  readonly comments: string[] = [];
  /** Whether the stream was ended, not cut. */
  isWhole = false;
  readonly #request: ClientRequest;
  readonly #waiting: Received[] = [];
  #rest = '';
  #isOver = false;
  #wake: () => void = () => undefined;

  private constructor(outgoing: ClientRequest, status: number) {
    this.#request = outgoing;
    this.status = status;
  }

  static open(studio: TestStudio, query = '', headers: Record<string, string> = {}): Promise<EventReader> {
    return new Promise((resolve, reject) => {
      const outgoing = request({
        host: '127.0.0.1',
        port: studio.port,
        path: `/studio/events${query}`,
        agent: false,
        headers: { authorization: `Bearer ${testTokens.read}`, ...headers },
      });
      onTestFinished(() => void outgoing.destroy());
      outgoing.on('error', reject);
      outgoing.on('response', (incoming) => {
        const reader = new EventReader(outgoing, incoming.statusCode ?? 0);
        incoming.setEncoding('utf8');
        incoming.on('data', (text: string) => reader.#take(text));
        incoming.on('error', () => reader.#end());
        incoming.on('close', () => {
          reader.isWhole = incoming.complete;
          reader.#end();
        });
        resolve(reader);
      });
      outgoing.end();
    });
  }

  /** The next event; undefined when the stream has ended. */
  async next(): Promise<Received | undefined> {
    while (this.#waiting.length === 0 && !this.#isOver) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#waiting.shift();
  }

  async take(many: number): Promise<Received[]> {
    const found: Received[] = [];
    while (found.length < many) {
      const event = await this.next();
      if (event === undefined) break;
      found.push(event);
    }
    return found;
  }

  disconnect(): void {
    this.#request.destroy();
  }

  #take(text: string): void {
    const frames = (this.#rest + text).split('\n\n');
    this.#rest = frames.pop() ?? '';
    for (const frame of frames) {
      if (frame.startsWith(':')) this.comments.push(frame);
      else this.#waiting.push(parsed(frame));
    }
    this.#wake();
  }

  #end(): void {
    this.#isOver = true;
    this.#wake();
  }
}

function parsed(frame: string): Received {
  const fields = new Map(
    frame.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const data = JSON.parse(fields.get('data') ?? '') as Record<string, unknown>;
  return { id: Number(fields.get('id')), event: fields.get('event') ?? '', data };
}
