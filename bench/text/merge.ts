// Several authors type at the same time: the recorded causal graph is replayed on one replica per author, each having
// received exactly what its author had seen; then a fresh replica receives everything.
import type { Bench, BenchOptions, Column } from '../bench.js';
import type { Goal } from '../results/goals.js';
import { planDeliveries, planHandOvers, planLastDeliveries } from './deliveries.js';
import { chooseTextEngines } from './engines.js';
import { type Contender, interleave, mustHold, perSecond, timed } from '../measuring/harness.js';
import { type Row, toRow } from '../results/row.js';
import { type Figures, median } from '../measuring/statistics.js';
import type { TextEngine, TextReplica } from './text-engine.js';
import { type ConcurrentTrace, loadConcurrentTrace } from '../measuring/trace.js';

const usualTraces = ['friendsforever.concurrent', 'clownschool.concurrent'];
const loads = 15;

const columns: readonly Column[] = [
  { figure: 'replay_ops_s', title: 'replay on all replicas /s', digits: 0 },
  { figure: 'remote_ops_s', title: 'fresh replica, one by one /s', digits: 0 },
  { figure: 'remote_ms', title: 'the same, ms', digits: 0 },
  { figure: 'message_bytes', title: 'message B', digits: 1 },
  { figure: 'pack_bytes', title: 'document B', digits: 0 },
  { figure: 'load_ms', title: 'fresh replica, whole document ms', digits: 2 },
  { figure: 'load_first_ms', title: 'first', digits: 1 },
];

const goals: readonly Goal[] = [
  { figure: 'replay_ops_s', of: 'weft', least: 1, times: 'yjs' },
  { figure: 'remote_ops_s', of: 'weft', least: 3, times: 'yjs' },
];

export const mergeBench: Bench = {
  name: 'merge',
  summary: 'several authors type at the same time; a fresh replica receives all of it',
  columns,
  goals,
  run: runMerge,
};

interface Plan {
  readonly trace: ConcurrentTrace;
  readonly before: readonly (readonly number[])[];
  readonly last: readonly (readonly number[])[];
  readonly handOvers: ReadonlySet<number>;
  readonly edits: number;
  /** The recording has a text for its end alone: a part of it is checked by the replicas' agreement. */
  readonly end: string | undefined;
}

async function runMerge(options: BenchOptions): Promise<readonly Row[]> {
  const chosen = chooseTextEngines(options.libs, options.rivals);
  const engines = (await Promise.all(chosen.map((entry) => entry.load()))).filter((engine) => engine.concurrent);
  const rows: Row[] = [];
  for (const name of options.traces.length > 0 ? options.traces : usualTraces) {
    const trace = loadConcurrentTrace(name);
    const whole = planOf(trace, options.edits);
    const plans = engines.map(({ most }) => (most?.merge === undefined ? whole : planOf(whole.trace, most.merge)));
    const contenders = engines.map((engine, index) => mergeContender(engine, plans[index] ?? whole));
    const outcomes = await interleave(contenders, options.repeat, options.progress);
    for (const [index, { name: lib, version, forms, doesNot }] of engines.entries()) {
      const about = { bench: 'merge', lib, version, trace: name, form: forms[0] ?? '' };
      const count = plans[index]?.trace.transactions.length ?? 0;
      const cut = `first ${count} transactions, checked by agreement of all replicas`;
      const notes = count < trace.transactions.length ? [cut, ...doesNot] : doesNot;
      rows.push(toRow(about, outcomes.slice(index, index + 1), notes));
    }
  }
  return rows;
}

function planOf(recording: ConcurrentTrace, most: number | undefined): Plan {
  const transactions = recording.transactions.slice(0, most);
  const trace = { ...recording, transactions };
  const before = planDeliveries(trace);
  const edits = transactions.reduce((sum, transaction) => sum + transaction.edits.length, 0);
  const end = transactions.length === recording.transactions.length ? recording.end : undefined;
  const last = planLastDeliveries(trace, before);
  return { trace, before, last, handOvers: planHandOvers(trace, [...before, ...last]), edits, end };
}

function mergeContender(engine: TextEngine, plan: Plan): Contender {
  return { name: `${engine.name} merges ${plan.trace.name}`, run: () => replayAndMerge(engine, plan) };
}

async function replayAndMerge(engine: TextEngine, plan: Plan): Promise<Figures> {
  const { trace, edits } = plan;
  const replicas = await Promise.all(Array.from({ length: trace.agents }, (_, agent) => engine.create(agent)));
  const { ms: replayMs, result: sent } = await timed(() => replay(replicas, plan));
  const end = plan.end ?? replicas[0]?.text() ?? '';
  for (const [agent, replica] of replicas.entries()) {
    mustHold(replica.text() === end, `agent ${agent} ends with another text than it must`);
  }

  const messages = sent.flat();
  const fresh = await engine.create(trace.agents);
  const { ms: remoteMs } = await timed(() => fresh.receiveEach?.(messages));
  mustHold(fresh.text() === end, 'the fresh replica ends with another text than it must');

  const [form] = engine.forms;
  const bytes = form === undefined ? undefined : await fresh.save?.(form);
  for (const replica of [...replicas, fresh]) replica.free?.();
  return {
    replay_ops_s: perSecond(edits, replayMs),
    remote_ops_s: perSecond(edits, remoteMs),
    remote_ms: remoteMs,
    message_bytes: messages.reduce((sum, message) => sum + message.length, 0) / messages.length,
    ...(bytes === undefined || form === undefined ? {} : await openWhole(engine, bytes, form, end)),
  };
}

/** Answers the messages of each transaction, in the order of the recording. */
async function replay(replicas: readonly TextReplica[], { trace, before, last, handOvers }: Plan) {
  const sent: (readonly Uint8Array[])[] = [];
  const deliver = async (replica: TextReplica, list: readonly number[] | undefined): Promise<void> => {
    if (list === undefined || list.length === 0) return;
    await replica.receiveEach?.(list.flatMap((earlier) => sent[earlier] ?? []));
  };
  for (const [index, { agent, edits }] of trace.transactions.entries()) {
    const replica = replicas[agent];
    if (replica?.typeEach === undefined) throw new Error('An engine that merges must make messages.');
    await deliver(replica, before[index]);
    const isHeldBack = replica.typeOn !== undefined && !handOvers.has(index);
    sent.push(await (isHeldBack ? replica.typeOn(edits) : replica.typeEach(edits)));
  }
  for (const [agent, replica] of replicas.entries()) await deliver(replica, last[agent]);
  return sent;
}

async function openWhole(engine: TextEngine, bytes: Uint8Array, form: string, text: string): Promise<Figures> {
  const times: number[] = [];
  await timed(async () => {
    for (let load = 0; load < loads; load += 1) {
      const started = performance.now();
      const replica = await engine.open(bytes, form);
      const opened = replica.text();
      times.push(performance.now() - started);
      replica.free?.();
      mustHold(opened === text, 'the opened text is not the one that was saved');
    }
  });
  return { pack_bytes: bytes.length, load_ms: median(times), load_first_ms: times[0] ?? NaN };
}
