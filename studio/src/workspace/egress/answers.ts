/** What the proxy of confined programs answers where it does not pass on what was asked, in words that programs print. */
import { isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Allowed, Target } from './allowed.js';

/** A refusal, with the status of its answer. */
export class NotLetThrough extends Error {
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

export function told(error: unknown): { readonly status: number; readonly text: string } {
  if (error instanceof NotLetThrough) return { status: error.status, text: error.message };
  return { status: 502, text: `weft: the connection broke: ${error instanceof Error ? error.message : String(error)}` };
}

export function notListed(target: Target, allowed: readonly Allowed[]): string {
  const hosts = [...new Set(allowed.map(({ host }) => host))];
  const known = hosts.length === 0 ? 'none is' : `those are ${hosts.slice(0, 20).join(', ')}`;
  return (
    `weft: ${nameOf(target)} is not among the servers that programs here may reach (${known}). ` +
    'A person can allow it, with --sandbox-hosts at the start of the studio, or for this repository in its file of models'
  );
}

export function nameOf({ host, port }: Target): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** What a program said, as one may print it. */
export function shown(text: string): string {
  return text.slice(0, 100).replace(/[^\x21-\x7e]/g, '?');
}

/** Text of an answer within its first line, which is all that many programs show. */
export function statusLine(text: string): string {
  return text.slice(0, 400).replace(/[^\x20-\x7e]/g, '?');
}

export function answer(socket: Duplex, status: number, text: string): void {
  const body = `${text}\n`;
  socket.end(
    `HTTP/1.1 ${status} ${statusLine(text)}\r\nContent-Type: text/plain; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
