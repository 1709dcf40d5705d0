/**
 * Tool hooks as processes and requests. A program is confined, without a network, in an empty folder that is gone afterwards; it gets
 * the call on its standard input, and answers by its standard output.
 */
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { addressFault } from '../files/allowed-address.js';
import type { NodeProcesses } from '../programs/node-processes.js';
import { OutputRing } from '../programs/output-ring.js';
import { boundedFetch } from '../tool-servers/bounded-fetch.js';
import type { HookAddress, HookAnswer, HookProgram, ToolHook, ToolHooks } from './tool-hooks.js';
import { removeTree } from '../files/remove-tree.js';

const MOST_ANSWERED = 64 << 10;
const MOST_COMPLAINTS = 2000;
const MOST_REASON = 4000;

const Answer = z.union([
  z.object({ allow: z.literal(true) }),
  z.object({ allow: z.literal(false), reason: z.string().min(1) }),
]);

export class NodeToolHooks implements ToolHooks {
  readonly all: readonly ToolHook[];
  readonly #processes: NodeProcesses;
  readonly #folder: string;

  /** `folder` holds the folders of programs; it is emptied by `recover`. */
  constructor(processes: NodeProcesses, folder: string, hooks: readonly ToolHook[] = []) {
    this.#processes = processes;
    this.#folder = folder;
    this.all = hooks;
  }

  async recover(): Promise<void> {
    await removeTree(this.#folder);
  }

  async ask({ asks, seconds }: ToolHook, told: Readonly<Record<string, unknown>>): Promise<HookAnswer> {
    const [text, timeoutMs] = [JSON.stringify(told), seconds * 1000];
    const said = 'url' in asks ? await sent(asks, text, timeoutMs) : await this.#run(asks, text, timeoutMs);
    const answer = Answer.safeParse(parsed(said));
    if (!answer.success)
      throw new Error('it answered no {"allow": true} and no {"allow": false, "reason": "…"} with a reason');
    return answer.data.allow ? answer.data : { allow: false, reason: answer.data.reason.slice(0, MOST_REASON) };
  }

  async #run({ program, args }: HookProgram, text: string, timeoutMs: number): Promise<string> {
    const folder = join(this.#folder, randomBytes(12).toString('hex'));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      const [out, complaints] = [new OutputRing(MOST_ANSWERED), new OutputRing(MOST_COMPLAINTS)];
      const group = await this.#processes.start({
        folder,
        program,
        args,
        readable: [program],
        network: 'off',
        hear: ({ stdin, stdout, stderr }) => {
          stdout.on('data', (bytes: Buffer) => out.add(bytes));
          stderr.on('data', (bytes: Buffer) => complaints.add(bytes));
          stdin.end(text);
        },
      });
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        void group.stop(0);
      }, timeoutMs);
      const { code } = await group.gone;
      clearTimeout(timer);
      if (isLate) throw new Error(`it did not answer within ${timeoutMs / 1000} s`);
      if (code !== 0) throw new Error(`it ended with ${code ?? 'a signal'}: ${complaints.text().trim()}`);
      if (out.truncated) throw new Error(`it answered more than ${MOST_ANSWERED} bytes`);
      return out.text();
    } finally {
      await removeTree(folder);
    }
  }
}

async function sent({ url }: HookAddress, body: string, timeoutMs: number): Promise<string> {
  // The operator has named it: any host, but in the open only this machine.
  const fault = addressFault(url, [new URL(url).hostname]);
  if (fault !== undefined) throw new Error(fault);
  const signal = AbortSignal.timeout(timeoutMs);
  const headers = { 'content-type': 'application/json' };
  const response = await boundedFetch(url, { method: 'POST', headers, body, signal });
  const text = await response.text();
  if (!response.ok) throw new Error(`it answered ${response.status}`);
  if (text.length > MOST_ANSWERED) throw new Error(`it answered more than ${MOST_ANSWERED} bytes`);
  return text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Refused by its shape.
    return undefined;
  }
}
