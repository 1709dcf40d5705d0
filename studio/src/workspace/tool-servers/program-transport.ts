/**
 * Transport to a server that is a program of this machine: a message is a line of JSON. Lines that are none are passed over, as
 * programs write them by mistake; what it writes in answer to one question is bounded, or else it is stopped.
 */
import { StringDecoder } from 'node:string_decoder';
import {
  type JSONRPCMessage,
  type Transport,
  deserializeMessage,
  serializeMessage,
} from '@modelcontextprotocol/client';
import type { Group, NodeProcesses, Wanted } from '../programs/node-processes.js';
import { OutputRing } from '../programs/output-ring.js';

/** Bytes that it may write from one question to the next. */
const MOST_HEARD = 16 << 20;
const MOST_COMPLAINTS = 2000;
const GRACE_MS = 500;

export class ProgramTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #processes: NodeProcesses;
  readonly #wanted: Omit<Wanted, 'hear'>;
  readonly #complaints = new OutputRing(MOST_COMPLAINTS);
  readonly #decoder = new StringDecoder('utf8');
  #group: Group | undefined;
  #line: string[] = [];
  #heard = 0;
  #isTooMuch = false;

  constructor(processes: NodeProcesses, wanted: Omit<Wanted, 'hear'>) {
    this.#processes = processes;
    this.#wanted = wanted;
  }

  async start(): Promise<void> {
    const group = await this.#processes.start({
      ...this.#wanted,
      hear: ({ stdout, stderr }) => {
        stdout.on('data', (bytes: Buffer) => this.#hear(bytes));
        stderr.on('data', (bytes: Buffer) => this.#complaints.add(bytes));
      },
    });
    this.#group = group;
    void group.gone.then(() => this.onclose?.());
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.#group) return reject(new Error('the program has not begun'));
      this.#group.child.stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    this.#group?.child.stdin.end();
    await this.#group?.stop(GRACE_MS);
  }

  /** Begins to count what it writes anew, since it is asked something. */
  asked(): void {
    this.#heard = 0;
  }

  /** Whether it was stopped for all that it wrote. */
  get isTooMuch(): boolean {
    return this.#isTooMuch;
  }

  /** What it has written to its standard error last. */
  get complaints(): string {
    return this.#complaints.text().trim();
  }

  #hear(bytes: Buffer): void {
    this.#heard += bytes.length;
    if (this.#heard > MOST_HEARD) {
      this.#isTooMuch = true;
      this.#line = [];
      void this.#group?.stop(0);
      return;
    }
    const [first = '', ...more] = this.#decoder.write(bytes).split('\n');
    this.#line.push(first);
    for (const next of more) {
      const line = this.#line.join('');
      this.#line = [next];
      this.#take(line);
    }
  }

  #take(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch {
      return;
    }
    this.onmessage?.(message);
  }
}
