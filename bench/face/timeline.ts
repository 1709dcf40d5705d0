/** What Chromium's own timeline tells of a page: when it painted, how long its main thread was busy, and how that fell on frames. */
import type { Figures } from '../measuring/statistics.js';
import { percentile } from '../measuring/statistics.js';

/** An event of a trace, as Chromium writes it; times in microseconds. */
export interface TimelineEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  readonly args?: {
    readonly name?: string;
    readonly data?: { readonly isOutermostMainFrame?: boolean; readonly documentLoaderURL?: string };
  };
}

/** A task longer than this holds up what a person does. */
const LONG_US = 50_000;

/** The main thread of one page. */
export interface MainThread {
  /** When the navigation began. */
  readonly began: number;
  readonly tasks: readonly { readonly ts: number; readonly dur: number }[];
  readonly frames: readonly number[];
  readonly paints: ReadonlyMap<string, number>;
}

/** The thread on which the newest navigation to an address of the web happened, or the busiest renderer's where there was none. */
export function mainThreadOf(events: readonly TimelineEvent[]): MainThread {
  const threads = events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  // Chromium's own windows and its empty pages navigate, too.
  const navigation = events.findLast(
    ({ name, args }) =>
      name === 'navigationStart' &&
      args?.data?.isOutermostMainFrame === true &&
      args.data.documentLoaderURL?.startsWith('http') === true,
  );
  const tasksOf = (pid: number, tid: number) =>
    events.filter((event) => event.name === 'RunTask' && event.pid === pid && event.tid === tid);
  const spent = ({ pid, tid }: TimelineEvent): number => tasksOf(pid, tid).reduce((sum, { dur = 0 }) => sum + dur, 0);
  const thread =
    threads.find(({ pid }) => pid === navigation?.pid) ??
    threads.toSorted((one, other) => spent(other) - spent(one))[0];
  if (!thread) throw new Error('The timeline has no main thread of a page.');
  const { pid, tid } = thread;
  const mine = events.filter((event) => event.pid === pid && event.tid === tid);
  const began = navigation?.ts ?? 0;
  return {
    began,
    tasks: tasksOf(pid, tid)
      .filter(({ ts }) => ts >= began)
      .map(({ ts, dur = 0 }) => ({ ts, dur })),
    frames: mine.filter(({ name, ts }) => name === 'FireAnimationFrame' && ts >= began).map(({ ts }) => ts),
    paints: new Map(
      mine
        .filter(({ name, ts }) => /ontentfulPaint/.test(name) && ts >= began)
        .map(({ name, ts }) => [name, ts - began]),
    ),
  };
}

/** Figures as Lighthouse names them: the first paint with content, the largest, and time beyond 50 ms of each task. */
export function openingFigures({ tasks, paints }: MainThread): Figures {
  const first = paints.get('firstContentfulPaint');
  if (first === undefined) throw new Error('The page painted nothing.');
  const long = tasks.filter(({ dur }) => dur > LONG_US);
  return {
    first_paint_ms: first / 1000,
    largest_paint_ms: (paints.get('largestContentfulPaint::Candidate') ?? first) / 1000,
    long_tasks: long.length,
    blocked_ms: long.reduce((sum, { dur }) => sum + dur - LONG_US, 0) / 1000,
    busy_ms: tasks.reduce((sum, { dur }) => sum + dur, 0) / 1000,
  };
}

/** How long the main thread did not listen while a page took what it was sent. */
export function enteringFigures({ tasks }: MainThread): Figures {
  return {
    long_tasks: tasks.filter(({ dur }) => dur > LONG_US).length,
    longest_ms: Math.max(0, ...tasks.map(({ dur }) => dur)) / 1000,
  };
}

/** Work of the main thread between one animation frame and the next, and the distance between them. */
export function frameFigures({ tasks, frames }: MainThread): Figures {
  const [apart, work]: [number[], number[]] = [[], []];
  for (const [at, from] of frames.entries()) {
    const to = frames[at + 1];
    if (to === undefined) break;
    apart.push((to - from) / 1000);
    const spent = tasks.reduce((sum, { ts, dur }) => sum + Math.max(0, Math.min(ts + dur, to) - Math.max(ts, from)), 0);
    work.push(spent / 1000);
  }
  return { frame_p95_ms: percentile(apart, 0.95), work_p95_ms: percentile(work, 0.95) };
}
