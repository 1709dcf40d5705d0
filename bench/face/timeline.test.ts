import { expect, it } from 'vitest';
import { type TimelineEvent, frameFigures, mainThreadOf, openingFigures } from './timeline.js';

const MS = 1000;
const PAGE = { pid: 7, tid: 7 };
const OTHER = { pid: 8, tid: 8 };

const event = (name: string, at: number, more: Partial<TimelineEvent> = {}): TimelineEvent => {
  return { name, ph: 'X', ts: at * MS, ...PAGE, ...more };
};
const thread = (of: typeof PAGE): TimelineEvent => event('thread_name', 0, { ...of, args: { name: 'CrRendererMain' } });
const navigation = (at: number, url: string, of = PAGE): TimelineEvent =>
  event('navigationStart', at, { ...of, args: { data: { isOutermostMainFrame: true, documentLoaderURL: url } } });
const task = (at: number, ms: number, of = PAGE): TimelineEvent => event('RunTask', at, { ...of, dur: ms * MS });

it('a page is judged from its own navigation, on its own thread', () => {
  const main = mainThreadOf([
    thread(OTHER),
    thread(PAGE),
    task(1, 900),
    navigation(5, ''),
    navigation(10, 'http://127.0.0.1/'),
    navigation(11, 'chrome://own', OTHER),
    task(12, 500, OTHER),
    task(20, 30),
    task(60, 80),
    event('firstContentfulPaint', 35),
    event('largestContentfulPaint::Candidate', 50),
    event('largestContentfulPaint::Candidate', 90),
  ]);
  expect(openingFigures(main)).toEqual({
    first_paint_ms: 25,
    largest_paint_ms: 80,
    long_tasks: 1,
    blocked_ms: 30,
    busy_ms: 110,
  });
});

it('a page that painted nothing has no figures', () => {
  const main = mainThreadOf([thread(PAGE), navigation(1, 'http://127.0.0.1/'), task(2, 5)]);
  expect(() => openingFigures(main)).toThrow('painted nothing');
});

it('work is counted in the frame in which it was done, also what goes on into the next', () => {
  const frames = [0, 16, 32].map((at) => event('FireAnimationFrame', at));
  const main = mainThreadOf([thread(OTHER), thread(PAGE), ...frames, task(2, 4), task(10, 10), task(3, 1, OTHER)]);
  expect(frameFigures(main)).toEqual({ frame_p95_ms: 16, work_p95_ms: 10 });
});
