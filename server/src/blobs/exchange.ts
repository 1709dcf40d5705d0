/**
 * One request to the blob listener and its answer. Errors are JSON, `{ "code", "msg" }`, and close the connection when
 * a body was left unread: what is left of it is read for a moment first, because a client that is still sending when
 * the connection goes may never see the answer.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Times {
  /** Deadline for the headers of a request. */
  readonly headersMs: number;
  /** Longest time without a byte in either direction. */
  readonly idleMs: number;
  /** Base of a transfer's deadline, to which the time at `bytesPerSecond` is added. */
  readonly slackMs: number;
  readonly bytesPerSecond: number;
}

export const TIMES: Times = { headersMs: 10_000, idleMs: 30_000, slackMs: 30_000, bytesPerSecond: 16 * 1024 };

const LINGER_MS = 1000;

export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly #times: Times;
  readonly #waitsForContinue: boolean;

  constructor(request: IncomingMessage, response: ServerResponse, times: Times, waitsForContinue: boolean) {
    this.request = request;
    this.response = response;
    this.#times = times;
    this.#waitsForContinue = waitsForContinue;
  }

  refuse(status: number, code: string, msg: string): void {
    if (this.response.headersSent || this.response.destroyed) return;
    const body = `${JSON.stringify({ code, msg })}\n`;
    const unread = !this.request.complete && this.#hasBody();
    this.response.writeHead(status, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      ...(unread ? { Connection: 'close' } : {}),
    });
    if (!unread || this.#waitsForContinue) return void this.response.end(body);
    this.response.write(body);
    const end = (): void => void this.response.end();
    const timer = setTimeout(end, LINGER_MS);
    this.request.once('close', () => clearTimeout(timer));
    this.request.once('end', end).resume();
  }

  answer(status: number, value: Readonly<Record<string, unknown>>): void {
    const body = `${JSON.stringify(value)}\n`;
    this.response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' }).end(body);
  }

  /** Sends `100 Continue` to a client that waits for it before it sends its body. */
  letSend(): void {
    if (this.#waitsForContinue) this.response.writeContinue();
  }

  /** Deadline of a transfer: cuts the connection if `bytes` have not been moved in time. The result disarms it. */
  expect(bytes: number): () => void {
    const { slackMs, bytesPerSecond } = this.#times;
    const cut = (): void => void this.request.socket.destroy();
    // The longest time that a timer takes.
    const timer = setTimeout(cut, Math.min(slackMs + (bytes / bytesPerSecond) * 1000, 2 ** 31 - 1));
    return () => clearTimeout(timer);
  }

  #hasBody(): boolean {
    const { 'content-length': length, 'transfer-encoding': encoding } = this.request.headers;
    return encoding !== undefined || (length !== undefined && length !== '0');
  }
}
