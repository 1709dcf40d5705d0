/** Rules of an agent's loop, one scene each, with vendors that refuse what vendors refuse. */
import { describe, expect, it } from 'vitest';
import { anthropicWire, OPUS } from './anthropic-wire.js';
import { atWork, SetClock, vendorServer } from './at-work.js';
import { chatWire } from './chat-wire.js';
import { responsesWire } from './responses-wire.js';
import type { Fault, Model, Said, VendorServer, Wire } from './vendor.js';

const look = (n: number): Said => ({
  thinks: `step ${n}: the door is green`,
  text: `I look for ${n}.`,
  calls: [{ name: 'svc_v1_artifact_query', input: { keywords: `word ${n}` } }],
});
const found: Said = {
  thinks: 'that is it',
  calls: [{ name: 'svc_v1_artifact_record', input: { type: 'Research', title: 'Found', body: 'it is dry' } }],
};
/** Looks so often, and then has found it. */
const after =
  (turns: number): Model =>
  ({ turn }) =>
    turn < turns ? look(turn) : found;

const fault = (status: number, error: object, headers: Record<string, string> = {}): Fault => ({
  status,
  body: { type: 'error', error },
  headers,
});

/** A call whose input is no JSON, though nothing was cut. */
const formless: Said = {
  text: 'I record.',
  calls: [{ name: 'svc_v1_artifact_record', input: '{"type": "Research", "title": }' }],
};

interface Status {
  readonly waitsForLimits: readonly { readonly until: string | null }[];
}

interface Turn {
  readonly compacted?: string;
  readonly toolCalls: readonly object[];
  readonly inputTokens?: number;
}

/** The first answers are these, each once; then the model speaks. */
function first(odd: readonly (Said | Fault)[], model: Model): Model {
  let asked = 0;
  return (seen) => odd[asked++] ?? model(seen);
}

const vendors: readonly [name: string, provider: string, model: string, wire: () => Wire][] = [
  ['messages', 'anthropic', 'claude-opus-5-5', () => anthropicWire()],
  ['responses', 'openai', 'gpt-6-sol', () => responsesWire()],
  ['chat completions', 'openai', 'gemini-3-pro', () => chatWire()],
];

async function begin(model: Model, [, provider, name, wire]: (typeof vendors)[number], rows: object = {}) {
  const server = await vendorServer(wire(), model);
  const isResponses = wire().path === '/responses';
  const agents = {
    usual: { provider, model: name, baseUrl: server.url },
    rows: { [name]: { ...(isResponses ? { wire: 'responses' as const } : {}), ...rows } },
  };
  return { server, work: await atWork(agents) };
}

/** What a conversation is, without the marks that tell a cache what to keep. */
function conversationOf(body: string): { frame: string; messages: string[] } {
  const { messages, input, system, instructions, tools } = JSON.parse(body, (key, value: unknown) =>
    key === 'cache_control' ? undefined : value,
  ) as Record<string, unknown>;
  const all = (messages ?? input) as { role?: string; content?: unknown }[];
  const blocks = all.flatMap((one): object[] =>
    Array.isArray(one.content) ? one.content.map((block: unknown) => ({ role: one.role, block })) : [one],
  );
  return { frame: JSON.stringify([system, instructions, tools]), messages: blocks.map((one) => JSON.stringify(one)) };
}

/** Requests that do not begin with all of the one before them. */
function rewritten({ served }: VendorServer): number {
  const taken = served.filter(({ usage }) => usage).map(({ body }) => conversationOf(body));
  return taken.filter(({ frame, messages }, place) => {
    const before = taken[place - 1];
    return before && (before.frame !== frame || before.messages.some((message, at) => message !== messages[at]));
  }).length;
}

describe.each(vendors)('a conversation over %s', (...vendor) => {
  it('is append-only, with all that the model thought, and comes from the cache after its third turn', async () => {
    const { server, work } = await begin(after(8), vendor);
    await work.until('Completed');
    expect(server.refusals()).toEqual([]);
    expect(server.served).toHaveLength(9);
    expect(rewritten(server)).toBe(0);
    for (const { usage } of server.served.slice(3)) {
      const { fresh, read, written } = usage!;
      expect(read / (fresh + read + written)).toBeGreaterThan(0.9);
    }
  });

  it('goes on when an answer was cut inside a call: what was whole is done, and the model is told of the rest', async () => {
    const cut: Said = {
      text: 'I write.',
      calls: [
        { name: 'svc_v1_artifact_query', input: { keywords: 'whole' } },
        { name: 'svc_v1_artifact_record', input: '{"type": "Research", "title": "Found", "body": "it is' },
      ],
      stop: 'length',
    };
    const told: string[][] = [];
    const { server, work } = await begin(
      first([cut], (seen) => (told.push([...seen.told]), found)),
      vendor,
    );
    await work.until('Completed');
    expect(server.refusals()).toEqual([]);
    expect(told[0]).toHaveLength(2);
    expect(told[0]?.[1]).toMatch(
      /was cut at \d+ tokens, inside a call of svc_v1_artifact_record of which 53 characters/,
    );
  });

  it('is asked again when the stream breaks off or the vendor has no time', async () => {
    const odd = [
      { text: 'half', isBroken: true },
      fault(529, { type: 'overloaded_error', message: 'busy' }),
      { ...look(0) },
    ];
    const { server, work } = await begin(first(odd, found_), vendor);
    await work.until('Completed');
    expect(server.refusals()).toEqual([]);
    expect(server.served).toHaveLength(4);
  });

  it('goes on behind a call of a tool that is not there, which is answered in the conversation', async () => {
    const wrong: Said = { thinks: 'a tool', calls: [{ name: 'open_file', input: { path: 'x' } }] };
    const { server, work } = await begin(first([look(0), wrong, look(1), look(2)], found_), vendor);
    await work.until('Completed');
    expect(server.refusals()).toEqual([]);
    expect(rewritten(server)).toBe(0);
  });

  it('is compacted once when it has grown too long, and goes on from there', async () => {
    const rows = { context: 16_000, output: 1000 };
    let asked = 0;
    const { server, work } = await begin(() => ((asked += 1) < 25 ? look(asked) : found), vendor, rows);
    await work.until('Completed');
    expect(server.refusals()).toEqual([]);
    expect(server.served.length).toBeGreaterThan(20);
    expect(rewritten(server)).toBeGreaterThan(0);
    expect(rewritten(server)).toBeLessThan(server.served.length / 4);
    expect(server.served.at(-1)?.body).toContain('Find out why the door squeaks.');
    // Each time is recorded once, with the question that it was made for, and said no other way.
    const log = await work.get<Turn[]>(`/workunits/${work.workUnitId}/conversation-log`);
    const compacted = log.flatMap(({ compacted: beginning }) => beginning ?? []);
    expect(compacted).toHaveLength(rewritten(server));
    expect(new Set(compacted).size).toBe(compacted.length);
    for (const beginning of compacted) expect(beginning).toContain('Find out why the door squeaks.');
  });

  it('is asked again with what is wrong where a call has no form, all of which is paid for', async () => {
    const { server, work } = await begin(first([formless, formless], found_), vendor);
    await work.until('Completed');
    expect(server.refusals()).toEqual([]);
    expect(server.served).toHaveLength(3);
    expect(server.served[0]?.body).not.toContain('could not be used');
    for (const { body } of server.served.slice(1)) expect(body).toContain('Your last reply could not be used');
    const [turn, ...others] = await work.get<Turn[]>(`/workunits/${work.workUnitId}/conversation-log`);
    expect(others).toEqual([]);
    expect(turn?.toolCalls).toHaveLength(1);
    expect(turn?.inputTokens).toBeGreaterThan(server.served[0]!.body.length / 6);
  });

  it('is left to people where each of three answers has no form, with what is wrong', async () => {
    const { server, work } = await begin(() => formless, vendor);
    await work.until('DeadLettered');
    expect(server.served).toHaveLength(3);
    expect(await work.get('/dead-letter')).toMatchObject([
      {
        kind: 'Exception',
        reason: expect.stringMatching(/^what the model answered cannot be used: .*artifact_record/) as string,
      },
    ]);
  });

  it('is ended by no vendor that has no time: it waits longer each time, and people see it', async () => {
    const wall = new SetClock();
    const busy = fault(529, { type: 'overloaded_error', message: 'busy' });
    const [, provider, name, wire] = vendor;
    // Six questions, five of them again, twice over.
    const server = await vendorServer(wire(), first(Array<Fault>(12).fill(busy), found_));
    const usual = { provider, model: name, baseUrl: server.url };
    const rows = { [name]: wire().path === '/responses' ? { wire: 'responses' as const } : {} };
    const work = await atWork({ usual, rows }, { wall });
    await work.until('Waiting');
    expect(server.served).toHaveLength(6);
    wall.pass(31_000);
    await expect.poll(() => server.served.length).toBe(12);
    await work.until('Waiting');
    wall.pass(31_000);
    expect(server.served).toHaveLength(12);
    wall.pass(31_000);
    await work.until('Completed');
    expect(server.refusals()).toEqual([]);
  });

  it('is ended by a limit of nobody: it waits until the vendor takes questions again, and others are told', async () => {
    const wall = new SetClock();
    const soon = fault(429, { type: 'rate_limit_error', message: 'five hours' }, { 'retry-after': '18000' });
    const [, provider, name, wire] = vendor;
    const server = await vendorServer(wire(), first([soon], found_));
    const usual = { provider, model: name, baseUrl: server.url };
    const rows = { [name]: wire().path === '/responses' ? { wire: 'responses' as const } : {} };
    const work = await atWork({ usual, rows }, { wall });
    await work.until('Waiting');
    const [pending] = await work.get<{ parkedReason: string; limitedUntil: string }[]>('/scheduler/pending');
    expect(pending).toMatchObject({ parkedReason: 'Limit', awaitingResume: false });
    expect(Date.parse(pending!.limitedUntil) - wall.now()).toBeGreaterThan(17_900_000);
    expect(await work.get('/dead-letter')).toEqual([]);
    const status = () => work.get<Status>(`/goals/${work.workUnitId}/status`);
    const { waitsForLimits } = await status();
    const until = pending!.limitedUntil;
    expect(waitsForLimits).toEqual([
      { workUnitId: work.workUnitId, until, because: expect.stringContaining('five hours') as string },
    ]);
    wall.pass(18_001_000);
    await work.until('Completed');
    expect((await status()).waitsForLimits).toEqual([]);
    expect(server.served).toHaveLength(2);
  });

  it('waits for a person when all that may be spent is spent', async () => {
    const spent = fault(429, { type: 'insufficient_quota', code: 'insufficient_quota', message: 'spend limit' });
    const { server, work } = await begin(first([spent], found_), vendor);
    await work.until('Waiting');
    expect(server.served).toHaveLength(1);
    const { waitsForLimits } = await work.get<Status>(`/goals/${work.workUnitId}/status`);
    // Nobody knows when.
    expect(waitsForLimits).toMatchObject([{ workUnitId: work.workUnitId, until: null }]);
    await work.post(`/scheduler/${work.workUnitId}/resume`, {});
    await work.until('Completed');
  });
});

const found_: Model = () => found;
const [messages, responses] = vendors;

describe('an agent', () => {
  it('leaves a refusal to people, with what the vendor says of it', async () => {
    const { server, work } = await begin(first([{ text: 'I will not.', stop: 'refused' }], found_), messages!);
    await work.until('Waiting');
    const [question] = await work.get<{ question: string; workUnitId: string; requestId: string }[]>('/clarifications');
    expect(question?.question).toContain('refuses to go on: cyber: it may be misused');
    await work.post(`/clarifications/${work.workUnitId}/respond`, { response: 'It is our own door. Go on.' });
    await work.until('Completed');
    expect(server.served).toHaveLength(2);
    expect(server.refusals()).toEqual([]);
  });

  it('sends a pause back as it is', async () => {
    const { server, work } = await begin(first([{ text: '(paused) wait', stop: 'paused' }], found_), messages!);
    await work.until('Completed');
    expect(server.refusals()).toEqual([]);
    expect(server.served).toHaveLength(2);
  });

  it('compacts when the vendor says that the window is full, and when it refuses the request for its length', async () => {
    const full: Said = { text: 'and so', stop: 'full' };
    const { server, work } = await begin(
      ({ turn, whole }) =>
        turn < 6 && !whole.includes('in short') ? look(turn) : whole.includes('in short') ? found : full,
      messages!,
    );
    await work.until('Completed');
    expect(server.refusals()).toEqual([]);
    expect(rewritten(server)).toBe(1);

    const small = { ...OPUS, context: 60_000 };
    const short = await vendorServer(anthropicWire(small), ({ turn, whole }) =>
      whole.includes('in short') || turn > 60 ? found : { ...look(turn), text: 'so '.repeat(4000) },
    );
    const usual = { provider: 'anthropic', model: 'claude-opus-5-5', baseUrl: short.url };
    const narrow = await atWork({ usual });
    await narrow.until('Completed');
    expect(short.refusals().every((rule) => rule.startsWith('prompt is too long'))).toBe(true);
    expect(short.refusals().length).toBeGreaterThan(0);
  });

  it('is compacted now and then, not in each turn, where what stands in every request takes nearly all of its window', async () => {
    let asked = 0;
    const { server, work } = await begin(() => ((asked += 1) < 24 ? look(asked) : found), messages!, {
      context: 12_000,
    });
    await work.until('Completed');
    expect(server.refusals()).toEqual([]);
    expect(rewritten(server)).toBeGreaterThan(0);
    expect(rewritten(server)).toBeLessThanOrEqual(24 / 4);
  });

  describe('behind a text of which the estimate is wrong by a whole window', () => {
    const small = { context: 60_000, output: 8000 };
    /** Reads a long task again and again, until the beginning of its conversation is told in short. */
    async function reader(wire: Wire): Promise<VendorServer> {
      // A character of this script is a token of its own, where the estimate has four of them in one.
      const description = '門'.repeat(20_000);
      let taskId = '';
      const read = (n: number) => ({ name: 'svc_v1_task_update', input: { taskId, priority: -n } });
      const busy = fault(429, { type: 'rate_limit_error', message: 'busy' }, { 'retry-after': '600' });
      const model = first([busy], ({ whole, turn }) =>
        whole.includes('in short') || turn > 3 ? found : { calls: [read(1), read(2)] },
      );
      const server = await vendorServer(wire, model);
      const usual = { provider: 'anthropic', model: 'claude-opus-5-5', baseUrl: server.url };
      const wall = new SetClock();
      const work = await atWork({ usual, rows: { 'claude-opus-5-5': small } }, { wall });
      await work.until('Waiting');
      const { workUnitId } = work;
      ({ taskId } = await work.post<{ taskId: string }>('/tasks', { workUnitId, title: 'read', description }));
      wall.pass(601_000);
      await work.until('Completed');
      return server;
    }

    it('is counted by the vendor before it is asked, so that nothing is refused for its length', async () => {
      const server = await reader(anthropicWire({ ...OPUS, ...small }));
      expect(server.refusals()).toEqual([]);
      // Also right behind a compaction, which the estimate would not have made again so soon.
      expect(server.counts).toHaveLength(2);
      for (const tokens of server.counts) expect(tokens).toBeGreaterThan(small.context - small.output);
      expect(rewritten(server)).toBe(2);
    });

    it('goes by the estimate, and by what is refused, where the vendor counts nothing', async () => {
      const none = fault(404, { type: 'not_found_error', message: 'count_tokens' });
      const server = await reader({ ...anthropicWire({ ...OPUS, ...small }), count: () => ({ fault: none }) });
      expect(server.counts).toContain(undefined);
      expect(server.refusals().length).toBeGreaterThan(0);
      for (const refused of server.refusals()) expect(refused).toMatch(/^prompt is too long/);
    });
  });

  it("is told the word of the host as the system's where the model takes it, never beside a tool's result", async () => {
    const stops: Said = { text: 'I am done.' };
    const { server, work } = await begin(first([look(0), stops], found_), messages!);
    await work.until('Completed');
    const last = JSON.parse(server.served.at(-1)!.body) as {
      messages: { role: string; content: { text: string }[] }[];
    };
    expect(last.messages.at(-1)).toMatchObject({ role: 'system', content: [{ text: /^You stopped, but/ }] });
    expect(server.refusals()).toEqual([]);
  });

  it('reads from the cache what it had said before a turn of more calls than a vendor looks back over', async () => {
    const many: Said = { calls: [...Array(15).keys()].flatMap((n) => look(n).calls ?? []) };
    const { server, work } = await begin(first([look(0), look(1), many], found_), messages!);
    await work.until('Completed');
    const [, , before, behind] = server.served.map(({ usage }) => usage!);
    expect(behind!.read).toBe(before!.read + before!.written);
  });

  it('reads from the cache the tools that another role has, too', async () => {
    const { server, work } = await begin(found_, messages!);
    await work.until('Completed');
    await work.put('/agent-profiles/worker', { systemPrompt: 'You find out why doors squeak.' });
    const given = { goal: 'Find out why the gate squeaks.', expectedOutputKind: 'KnowledgeArtifact' };
    const { workUnitId } = await work.post<{ workUnitId: string }>('/workunits', given);
    await work.post('/scheduler/enqueue', { workUnitId, profileId: 'worker' });
    await expect.poll(() => server.served.length).toBe(2);
    const { tools } = JSON.parse(server.served[0]!.body) as { tools: object[] };
    expect(server.served[1]!.usage!.read).toBeGreaterThan(JSON.stringify(tools).length / 3.5);
  });

  it('is asked with the effort of its stage and as much room as the model gives', async () => {
    const { server, work } = await begin(found_, messages!);
    await work.until('Completed');
    expect(JSON.parse(server.served[0]!.body)).toMatchObject({
      max_tokens: 64_000,
      thinking: { type: 'adaptive' },
      output_config: { effort: 'medium' },
    });
    const other = await begin(found_, responses!);
    await other.work.until('Completed');
    expect(JSON.parse(other.server.served[0]!.body)).toMatchObject({
      max_output_tokens: 32_000,
      reasoning: { effort: 'medium' },
      prompt_cache_key: expect.stringMatching(/^weft-/) as string,
    });
  });
});

describe('what an agent was told', () => {
  it('is shown with its role, what went wrong with tools, and what the host said', async () => {
    const wrong: Said = { calls: [{ name: 'svc_v1_workunit_get', input: { workUnitId: 'wu-of-nobody' } }] };
    const { work } = await begin(first([wrong, { text: 'I am done.' }], found_), messages!);
    await work.until('Completed');
    interface Entry {
      readonly systemText?: string;
      readonly roleVersion?: string;
      readonly said?: string;
      readonly notice?: string;
      readonly toolResults: readonly { readonly isError?: boolean }[];
    }
    const [begun, stopped, reminded] = await work.get<Entry[]>(`/workunits/${work.workUnitId}/conversation-log`);
    expect(begun?.systemText).toMatch(/^You carry out one piece of work/);
    expect(begun?.roleVersion).toMatch(/^[0-9a-f]{12}$/);
    expect(begun?.said).toContain('Goal: Find out why the door squeaks.');
    expect(begun?.toolResults).toMatchObject([{ isError: true }]);
    expect([stopped?.systemText, stopped?.said]).toEqual([undefined, undefined]);
    expect(reminded?.notice).toMatch(/^You stopped, but nothing is recorded/);
  });
});
