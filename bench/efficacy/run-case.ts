/** One case with one policy: a whole studio, asked through a vendor that refuses what vendors refuse. */
import { createHash } from 'node:crypto';
import { type Case, type Solved, solve } from '@weft/studio/efficacy';
import { anthropicWire } from '../../test/vendors/anthropic-wire.js';
import { type Served, openVendorServer, tokensOf } from '../../test/vendors/vendor.js';
import { type Policy, play } from './policies.js';

const MODEL = 'claude-opus-5-5';
/** Window of the policy that forgets: its conversation is compacted again and again. */
const SMALL_CONTEXT = 30_000;
const MOST_MS = 120_000;

export interface Outcome extends Solved {
  readonly name: string;
  readonly policy: Policy;
  readonly output: number;
  /** Share of input that came from the cache after the third turn of each conversation. */
  readonly cached: number;
  /** Most that it can be: the share of what had been sent before in the conversation. */
  readonly repeated: number;
  /** Requests that the vendor refused, and that were not what came before with more behind it. */
  readonly refused: readonly string[];
  readonly rewritten: number;
  readonly stuck: readonly string[];
  readonly compactions: number;
  /** Versions of what the model was told first: of each role's text, and of the tools. */
  readonly versions: string;
}

export interface RunOptions {
  /** Whether programs run without a sandbox. */
  readonly isUnconfined: boolean;
}

export async function runCase(one: Case, policy: Policy, { isUnconfined }: RunOptions): Promise<Outcome> {
  const { model, stuck, compactions } = play(policy, one);
  const vendor = await openVendorServer(anthropicWire(), model);
  const context = policy === 'forgetful' ? { context: SMALL_CONTEXT } : {};
  try {
    const solved = await solve(one, {
      agents: { usual: { provider: 'anthropic', model: MODEL, baseUrl: vendor.url }, rows: { [MODEL]: context } },
      keys: { ANTHROPIC_API_KEY: 'none' },
      mostMs: MOST_MS,
      ...(isUnconfined ? { confinement: { unconfined: true } } : {}),
    });
    return {
      ...solved,
      name: one.name,
      policy,
      ...figuresOf(vendor.served),
      refused: vendor.refusals(),
      stuck,
      compactions: compactions(),
    };
  } finally {
    await vendor.close();
  }
}

/** Price of a million tokens of the model that is played. */
const PRICE = { fresh: 4, written: 5, read: 0.2, output: 20 };

function figuresOf(served: readonly Served[]) {
  const taken = served.flatMap(({ body, usage }) => (usage ? [{ body, usage }] : []));
  const talks = new Map<string, typeof taken>();
  for (const one of taken) {
    const { frame, messages } = conversationOf(one.body);
    const key = `${frame} ${messages[0] ?? ''}`;
    talks.set(key, [...(talks.get(key) ?? []), one]);
  }
  const late = [...talks.values()].flatMap((talk) => talk.slice(3));
  const sent = [...talks.values()].flatMap((talk) => repeatedIn(talk.map(({ body }) => body)).slice(3));
  const sum = (of: (usage: (typeof taken)[number]['usage']) => number, all = taken): number =>
    all.reduce((total, { usage }) => total + of(usage), 0);
  const input = sum(({ fresh, read, written }) => fresh + read + written, late);
  return {
    turns: taken.length,
    tokens: sum(({ fresh, read, written }) => fresh + read + written),
    output: sum(({ output }) => output),
    versions: versionsOf(taken.map(({ body }) => body)),
    cached: input === 0 ? 1 : sum(({ read }) => read, late) / input,
    repeated: shareOf(sent),
    usd:
      sum((usage) =>
        (Object.keys(PRICE) as (keyof typeof PRICE)[]).reduce((all, kind) => all + usage[kind] * PRICE[kind], 0),
      ) / 1e6,
    rewritten: [...talks.values()].reduce((all, talk) => all + rewrittenIn(talk.map(({ body }) => body)), 0),
  };
}

/** Digests of the texts that are the same for all agents of a role, and of the tools. */
function versionsOf(bodies: readonly string[]): string {
  const frames = new Set(bodies.map((body) => conversationOf(body).frame));
  return [...frames].map((frame) => createHash('sha256').update(frame).digest('hex').slice(0, 8)).join(' ');
}

interface Sent {
  readonly all: number;
  /** Tokens of blocks that an earlier request of the conversation had, wherever. */
  readonly again: number;
}

/** What no cache can know: a block that is sent for the first time. */
function repeatedIn(bodies: readonly string[]): Sent[] {
  const before = new Set<string>();
  return bodies.map((body) => {
    const { frame, messages } = conversationOf(body);
    const blocks = [frame, ...messages];
    const tokensIn = (some: readonly string[]): number => some.reduce((sum, block) => sum + tokensOf(block), 0);
    const again = blocks.filter((block) => before.has(block));
    for (const block of blocks) before.add(block);
    return { all: tokensIn(blocks), again: tokensIn(again) };
  });
}

function shareOf(sent: readonly Sent[]): number {
  const all = sent.reduce((sum, one) => sum + one.all, 0);
  return all === 0 ? 1 : sent.reduce((sum, one) => sum + one.again, 0) / all;
}

/** Requests of one conversation that do not begin with all of the one before them, though nothing was compacted in between. */
function rewrittenIn(bodies: readonly string[]): number {
  const taken = bodies.map(conversationOf);
  return taken.filter(({ messages }, place) => {
    const before = taken[place - 1];
    const isCompacted = notesIn(messages) !== undefined && notesIn(messages) !== notesIn(before?.messages ?? []);
    return !isCompacted && (before?.messages.some((message, at) => message !== messages[at]) ?? false);
  }).length;
}

/** Notes of a compaction, which stand behind the task. */
function notesIn([, second = '']: readonly string[]): string | undefined {
  return second.includes('[What was done since then, in short]') ? second : undefined;
}

/** What a conversation is, without the marks that tell a cache what to keep. */
function conversationOf(body: string): { frame: string; messages: string[] } {
  const { messages, system, tools } = JSON.parse(body, (key, value: unknown) =>
    key === 'cache_control' ? undefined : value,
  ) as { messages: { role: string; content: unknown[] }[]; system: unknown; tools: unknown };
  const blocks = messages.flatMap(({ role, content }) => content.map((block) => JSON.stringify({ role, block })));
  return { frame: JSON.stringify([system, tools]), messages: blocks };
}
