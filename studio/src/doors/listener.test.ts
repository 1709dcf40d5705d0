import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Notice } from '@weft/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTestFront } from '../testing/doors/test-front.js';
import { testTokens } from '../testing/test-studio.js';
import { Listener, type ListenerLimits, parseListen } from './listener.js';

const HEALTH = 'GET /studio/health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n';
const POST =
  'POST /studio/workunits HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n' +
  `authorization: Bearer ${testTokens.operate}\r\ncontent-length: 1000\r\n\r\n`;

const generous: ListenerLimits = { headersMs: 60_000, requestMs: 60_000, idleMs: 60_000, mostConnections: 100 };

async function listening(
  limits: Partial<ListenerLimits>,
): Promise<((text: string) => Heard) & { readonly log: readonly Notice[] }> {
  const { front, log } = await openTestFront();
  const address = parseListen('127.0.0.1:0');
  const listener = await Listener.open(front, address, () => undefined, { ...generous, ...limits });
  onTestFinished(() => listener.close());
  return Object.assign((text: string) => new Heard(connect(listener.port, '127.0.0.1'), text), { log });
}

/** A connection that has said something, and what it hears. */
class Heard {
  text = '';
  readonly #socket: Socket;
  readonly ended: Promise<unknown>;

  constructor(socket: Socket, text: string) {
    this.#socket = socket;
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => (this.text += bytes.toString('utf8')));
    this.ended = once(socket, 'close').then(() => this.text);
    if (text !== '') socket.write(text);
    onTestFinished(() => void socket.destroy());
  }

  say(text: string): void {
    this.#socket.write(text);
  }

  async until(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.text)) await sleep(2);
    return this.text;
  }
}

describe('a connection', () => {
  it('that does not say what it wants is ended, also when it says nothing at all', async () => {
    const open = await listening({ headersMs: 50, requestMs: 100 });
    for (const beginning of ['', 'G', 'GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx'])
      expect(await open(beginning).ended).toMatch(/^$|^HTTP\/1\.1 408 /);
  });

  it('whose body does not come is ended', async () => {
    const open = await listening({ headersMs: 50, requestMs: 100 });
    const slow = open(POST);
    slow.say('{"goal"');
    await slow.ended;
    expect(slow.text).not.toContain('200 OK');
    // Whoever leaves in the middle of what he says is no fault of this host.
    expect(await open(HEALTH).until(/contractVersion/)).toContain('200 OK');
    expect(open.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('is kept for another request, for a while', async () => {
    const open = await listening({ idleMs: 20 });
    const kept = open(HEALTH);
    expect(await kept.ended).toContain('contractVersion');
  });

  it('beyond the most that are served at once is refused, and taken when another has gone', async () => {
    const open = await listening({ mostConnections: 2 });
    const [one, two] = [open(HEALTH), open(HEALTH)];
    await Promise.all([one.until(/contractVersion/), two.until(/contractVersion/)]);
    expect(await open(HEALTH).ended).toBe('');
    one.say('GET /studio/health HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n');
    await one.ended;
    expect(await open(HEALTH).until(/contractVersion/)).toContain('200 OK');
  });
});
