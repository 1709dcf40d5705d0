// The recorded typing of bench/traces, read and checked once, in the shapes that the benches replay.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import { benchFolder } from './folder.js';

/** Edit: replaces `deleted` characters at `position` by `inserted`; `at` is the recorder's clock in unix ms. */
export interface Edit {
  readonly position: number;
  readonly deleted: number;
  readonly inserted: string;
  readonly at: number;
}

/** Trace of one author: every edit applies to what the one before it left. */
export interface SequentialTrace {
  readonly name: string;
  readonly edits: readonly Edit[];
  readonly end: string;
}

/** Transaction: positions refer to the merge of the parents, which are indices of earlier transactions. */
export interface Transaction {
  readonly agent: number;
  readonly parents: readonly number[];
  readonly edits: readonly Edit[];
}

export interface ConcurrentTrace {
  readonly name: string;
  readonly agents: number;
  readonly transactions: readonly Transaction[];
  readonly end: string;
}

const Patches = z.array(z.tuple([z.int().nonnegative(), z.int().nonnegative(), z.string()]));
const Time = z.string().refine((text) => !Number.isNaN(Date.parse(text)), 'not a time');
const Sequential = z.object({
  startContent: z.string(),
  endContent: z.string(),
  txns: z.array(z.object({ time: Time, patches: Patches })),
});
const Concurrent = z.object({
  kind: z.literal('concurrent'),
  endContent: z.string(),
  numAgents: z.int().positive(),
  txns: z.array(
    z.object({ parents: z.array(z.int().nonnegative()), agent: z.int().nonnegative(), time: Time, patches: Patches }),
  ),
});

const tracesFolder = join(benchFolder, 'traces');

export function loadSequentialTrace(name: string, folder = tracesFolder): SequentialTrace {
  const { startContent, endContent, txns } = Sequential.parse(readTrace(name, folder), complaint(name));
  const first = { position: 0, deleted: 0, inserted: startContent, at: Date.parse(txns[0]?.time ?? '1970-01-01') };
  const edits = txns.flatMap(({ time, patches }) => editsOf(time, patches));
  return { name, edits: startContent === '' ? edits : [first, ...edits], end: endContent };
}

export function loadConcurrentTrace(name: string, folder = tracesFolder): ConcurrentTrace {
  const { numAgents, endContent, txns } = Concurrent.parse(readTrace(name, folder), complaint(name));
  const transactions = txns.map(({ agent, parents, time, patches }, index) => {
    if (agent >= numAgents)
      throw new Error(`Trace ${name}: transaction ${index} is by agent ${agent} of ${numAgents}.`);
    if (parents.some((parent) => parent >= index)) {
      throw new Error(`Trace ${name}: transaction ${index} comes before one of its parents.`);
    }
    return { agent, parents, edits: editsOf(time, patches) };
  });
  return { name, agents: numAgents, transactions, end: endContent };
}

function editsOf(time: string, patches: z.infer<typeof Patches>): Edit[] {
  const at = Date.parse(time);
  return patches.map(([position, deleted, inserted]) => ({ position, deleted, inserted, at }));
}

/** The text after these edits, by the plainest means: what every engine's text is compared with. */
export function textAfter(edits: readonly Edit[]): string {
  let text = '';
  for (const { position, deleted, inserted } of edits) {
    if (position + deleted > text.length) {
      throw new Error(`An edit at ${position} deletes ${deleted} of a text of ${text.length} characters.`);
    }
    text = text.slice(0, position) + inserted + text.slice(position + deleted);
  }
  return text;
}

function readTrace(name: string, folder: string): unknown {
  const file = `${name}.json.gz`;
  const present = readdirSync(folder).filter((entry) => entry.endsWith('.json.gz'));
  if (!present.includes(file)) {
    const names = present.map((entry) => entry.slice(0, -'.json.gz'.length)).join(', ');
    throw new Error(`There is no trace ${name}: choose one of ${names}.`);
  }
  try {
    return JSON.parse(gunzipSync(readFileSync(join(folder, file))).toString('utf8'));
  } catch (cause) {
    throw new Error(`Trace ${file} is damaged: restore it from the repository.`, { cause });
  }
}

function complaint(name: string): { error: z.core.$ZodErrorMap } {
  return {
    error: (issue) => `Trace ${name} has another shape than it should: ${issue.code} at ${issue.path?.join('.') ?? ''}`,
  };
}
