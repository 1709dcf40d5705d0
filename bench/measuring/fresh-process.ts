// Opens a saved document in a process that has done nothing else: how long the first open takes, and what a loaded copy
// costs. Within the process of a bench both would be those of everything that ran before.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { childFlags } from './children.js';
import { findTextEngine } from '../text/engines.js';
import { collectGarbage, mustHold } from './harness.js';
import type { TextReplica } from '../text/text-engine.js';

const Request = z.object({ engine: z.string(), form: z.string(), file: z.string(), textHash: z.string() });
const Answer = z.object({ load_fresh_ms: z.number(), rss_mb: z.number(), heap_mb: z.number() });

export type FreshRequest = z.infer<typeof Request>;
export type FreshFigures = z.infer<typeof Answer>;

const copies = 20;
const patience = 10 * 60_000;
const longestAnswer = 64 * 1024;

export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Measurement in a fresh process: the side of the bench. */
export async function measureInFreshProcess(request: FreshRequest): Promise<FreshFigures> {
  return Answer.parse(await askFreshProcess(childFlags.opener, request, `for ${request.engine}`));
}

/** The child ends with its answer, and is ended when it has none after ten minutes. */
export async function askFreshProcess(flag: string, request: object, name: string): Promise<unknown> {
  const program = process.argv[1];
  if (program === undefined) throw new Error('Start the benches with `npm run bench`.');
  const args = [...process.execArgv, program, flag, JSON.stringify(request)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], timeout: patience });
  const answer = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (chunk: string) => {
      if (text.length < longestAnswer) text += chunk;
    });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve(text);
      else reject(new Error(`The fresh process ${name} ended with ${signal ?? `code ${code}`}: see above.`));
    });
  });
  return JSON.parse(answer);
}

/** Measurement in a fresh process: the side of the child. */
export async function answerInFreshProcess(argument: string): Promise<void> {
  const { engine: name, form, file, textHash } = Request.parse(JSON.parse(argument));
  const engine = await findTextEngine(name, true).load();
  const bytes = new Uint8Array(readFileSync(file));

  const started = performance.now();
  const first = await engine.open(bytes, form);
  const text = first.text();
  const load_fresh_ms = performance.now() - started;
  mustHold(hashText(text) === textHash, `${name} opened another text than was saved.`);

  // The first copy stays, so that what the library needs once is not counted with the copies.
  const kept: TextReplica[] = [first];
  const before = settledMemory();
  for (let copy = 0; copy < copies; copy += 1) {
    const replica = await engine.open(bytes, form);
    mustHold(replica.text().length === text.length, `${name} opened another text than was saved.`);
    kept.push(replica);
  }
  const after = settledMemory();
  mustHold(kept.length === copies + 1, 'The copies were not kept.');
  const perCopy = (grown: number): number => grown / copies / 1e6;
  const answer: FreshFigures = {
    load_fresh_ms,
    rss_mb: perCopy(after.rss - before.rss),
    heap_mb: perCopy(after.heap - before.heap),
  };
  process.stdout.write(JSON.stringify(answer), () => process.exit(0));
}

function settledMemory(): { readonly rss: number; readonly heap: number } {
  collectGarbage();
  collectGarbage();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, heap: heapUsed + external };
}
