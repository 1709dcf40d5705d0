import { describe, expect, it, vi } from 'vitest';
import { OpenStreams } from './open-streams.js';

const yes = () => true;
const of = (pull: ((to: ReadableStreamDefaultController<Uint8Array>) => void) | undefined, cancel = () => undefined) =>
  new Response(new ReadableStream<Uint8Array>({ ...(pull ? { pull } : {}), cancel }), {
    headers: { 'content-type': 'text/event-stream' },
  });

describe('streams that stay open', () => {
  it('are passed on whole, and counted while they are open', async () => {
    const streams = new OpenStreams({ mostStreams: 2, mostWaiting: 10 });
    const ended = vi.fn();
    let left = 3;
    const given = of((to) => (left-- > 0 ? to.enqueue(new Uint8Array(100)) : to.close()));
    const passed = streams.pass(given, { countedAs: 'a', isAllowed: yes, whenEnded: ended });
    expect(streams.count('a')).toBe(1);
    expect(passed.headers.get('content-type')).toBe('text/event-stream');
    const reader = passed.body!.getReader();
    // Each is more than may wait: it waits alone.
    for (let n = 0; n < 3; n++) expect((await reader.read()).value).toHaveLength(100);
    expect((await reader.read()).done).toBe(true);
    await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce());
    expect(streams.count('a')).toBe(0);
  });

  it('are refused when there are as many as may be, each kind by itself', () => {
    const streams = new OpenStreams({ mostStreams: 1, mostWaiting: 10 });
    streams.refuseMore('a');
    streams.pass(of(undefined), { countedAs: 'a', isAllowed: yes });
    expect(() => streams.refuseMore('a')).toThrow('1 streams are open already');
    streams.refuseMore('b');
  });

  it('are not what is answered at once', () => {
    const streams = new OpenStreams({ mostStreams: 1, mostWaiting: 10 });
    const answer = Response.json({});
    expect(streams.pass(answer, { countedAs: 'a', isAllowed: yes })).toBe(answer);
    expect(streams.count('a')).toBe(0);
  });

  it('end when their reader is so slow that more waits than may', async () => {
    const streams = new OpenStreams({ mostStreams: 1, mostWaiting: 1000 });
    let written = 0;
    const cancelled = vi.fn();
    const endless = of((to) => {
      written += 100;
      to.enqueue(new Uint8Array(100));
    }, cancelled);
    const passed = streams.pass(endless, { countedAs: 'a', isAllowed: yes });
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalledOnce());
    expect(written).toBeLessThan(2000);
    await expect(passed.text()).rejects.toThrow('more waits for the reader');
    expect(streams.count('a')).toBe(0);
  });

  it('end before the next message when nobody is allowed to have it', async () => {
    const streams = new OpenStreams({ mostStreams: 1, mostWaiting: 1000 });
    let allowed = true;
    const cancelled = vi.fn();
    const given = of((to) => to.enqueue(new TextEncoder().encode('x')), cancelled);
    const passed = streams.pass(given, { countedAs: 'a', isAllowed: () => allowed && !(allowed = false) });
    expect(await passed.text()).toBe('x');
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalledOnce());
  });

  it('end for who wrote them when the reader leaves', async () => {
    const streams = new OpenStreams({ mostStreams: 1, mostWaiting: 1000 });
    const cancelled = vi.fn();
    const passed = streams.pass(of(undefined, cancelled), { countedAs: 'a', isAllowed: yes });
    await passed.body?.cancel();
    expect(cancelled).toHaveBeenCalledOnce();
    expect(streams.count('a')).toBe(0);
  });
});
