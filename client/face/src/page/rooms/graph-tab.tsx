/** The graph of a room on a canvas: moved and zoomed by mouse and keyboard, one node chosen, which is told in words. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Empty, many } from '../parts/ui.js';
import { GraphData } from './node-columns.js';
import { type Ink, LANE, TOP, type Window, canvasPen, draw, heightOf, laneOf, svgOf } from './graph-draw.js';
import { colourOf, shortKey } from './show.js';

const CLOSEST = 40;
const COLOURS = 8;

export function GraphTab({ room }: { readonly room: string }) {
  const [data] = useState(() => new GraphData(room));
  const [, setVersion] = useState(0);
  const [error, setError] = useState('');
  useEffect(() => {
    let isGone = false;
    const told = (): boolean => {
      setVersion((before) => before + 1);
      return !isGone;
    };
    const read = async (): Promise<void> => {
      try {
        await data.read(told);
        setError('');
      } catch (reason) {
        setError(reason instanceof Error ? reason.message : String(reason));
      }
      if (!isGone) timer = setTimeout(() => void read(), 3_000);
    };
    let timer = setTimeout(() => void read());
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [data]);
  return (
    <>
      {error !== '' && (
        <p class="failed" role="alert">
          This could not be read: {error}
        </p>
      )}
      <p class="quiet" role="status">
        {data.size < data.nodes ? `Reading: ${data.size} of ${data.nodes} nodes` : summaryOf(data)}
      </p>
      {data.size === 0 ? <Empty>Nothing was written yet.</Empty> : <Canvas data={data} size={data.size} />}
    </>
  );
}

function summaryOf(data: GraphData): string {
  const forks = Math.floor(data.forked.size / 2);
  const parts = [many(data.size, 'node'), `by ${many(data.authors.length, 'author')}`];
  return [...parts, forks === 0 ? 'nobody has written at two ends' : many(forks, 'fork')].join(', ');
}

function inkNow(): Ink {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string): string => style.getPropertyValue(name).trim();
  return {
    authors: Array.from({ length: COLOURS }, (_none, at) => of(`--author-${at}`)),
    line: of('--line'),
    text: of('--ink'),
    bad: of('--bad'),
    ground: of('--card'),
  };
}

/** `size` is how much of the data is here: it grows in place. */
function Canvas({ data, size }: { readonly data: GraphData; readonly size: number }) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(800);
  const [view, setView] = useState({ from: 0, scale: 0 });
  const [chosen, setChosen] = useState<number | undefined>(undefined);
  const drag = useRef<{ readonly x: number; readonly from: number; hasMoved: boolean } | undefined>(undefined);
  const whole = Math.min(CLOSEST, width / Math.max(1, size));
  // Nothing chosen yet: all of it.
  const scale = view.scale === 0 ? whole : Math.max(whole, view.scale);
  const from = Math.max(0, Math.min(view.from, size - width / scale));
  const window: Window = { from, scale, width };
  const height = heightOf(data);
  useEffect(() => {
    const measured = new ResizeObserver(() => setWidth(Math.max(200, box.current?.clientWidth ?? 800)));
    if (box.current) measured.observe(box.current);
    return () => measured.disconnect();
  }, []);
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      const context = canvas.current?.getContext('2d');
      if (!context || !canvas.current) return;
      const ratio = devicePixelRatio;
      canvas.current.width = width * ratio;
      canvas.current.height = height * ratio;
      context.scale(ratio, ratio);
      draw(canvasPen(context), data, window, inkNow(), chosen);
    });
    return () => cancelAnimationFrame(frame);
  });
  const zoom = (by: number, x: number): void => {
    const next = Math.min(CLOSEST, Math.max(whole, scale * by));
    setView({ scale: next, from: from + x / scale - x / next });
  };
  const move = (by: number): void => setView({ scale, from: from + by });
  const choose = (seq: number): void => {
    const place = Math.max(0, Math.min(size - 1, seq));
    setChosen(place);
    const closer = Math.max(scale, 12);
    const isInSight = scale === closer && place >= from && place < from + width / scale;
    if (!isInSight) setView({ scale: closer, from: place - width / closer / 2 });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const page = width / scale / 4;
    const keys: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => move(-page),
      ArrowRight: () => move(page),
      Home: () => move(-size),
      End: () => move(size),
      '+': () => zoom(1.6, width / 2),
      '=': () => zoom(1.6, width / 2),
      '-': () => zoom(1 / 1.6, width / 2),
      '0': () => setView({ from: 0, scale: 0 }),
      n: () => choose((chosen ?? Math.floor(from) - 1) + 1),
      p: () => choose((chosen ?? Math.floor(from) + 1) - 1),
    };
    const found = keys[event.key];
    if (!found || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    found();
  };
  const onClick = (event: MouseEvent): void => {
    if (drag.current?.hasMoved === true) return;
    const { left, top } = canvas.current?.getBoundingClientRect() ?? { left: 0, top: 0 };
    choose(nearest(data, window, event.clientX - left, event.clientY - top));
  };
  return (
    <>
      <div class="row wrap">
        <button type="button" onClick={() => zoom(1.6, width / 2)}>
          Closer
        </button>
        <button type="button" onClick={() => zoom(1 / 1.6, width / 2)}>
          Farther
        </button>
        <button type="button" onClick={() => setView({ from: 0, scale: 0 })}>
          All of it
        </button>
        <button type="button" onClick={() => move(size)}>
          Newest
        </button>
        {data.forked.size > 0 && (
          <button type="button" onClick={() => choose(nextFork(data, chosen))}>
            Next fork
          </button>
        )}
        <button type="button" onClick={() => save(data, window)}>
          Save the picture
        </button>
      </div>
      <div
        ref={box}
        class="graph"
        role="application"
        aria-label={`Graph of the room: ${summaryOf(data)}. Arrows move, plus and minus zoom, n and p choose nodes.`}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onWheel={(event) => {
          if (!event.ctrlKey && event.deltaX === 0 && !event.shiftKey) return;
          event.preventDefault();
          const { left } = event.currentTarget.getBoundingClientRect();
          if (event.ctrlKey) zoom(Math.exp(-event.deltaY / 200), event.clientX - left);
          else move((event.deltaX + event.deltaY) / scale);
        }}
        onPointerDown={(event) => {
          drag.current = { x: event.clientX, from, hasMoved: false };
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => {
          const held = drag.current;
          if (!held || event.buttons === 0) return;
          if (Math.abs(event.clientX - held.x) > 3) held.hasMoved = true;
          if (held.hasMoved) setView({ scale, from: held.from - (event.clientX - held.x) / scale });
        }}
        onClick={onClick}
      >
        <canvas ref={canvas} style={{ width: `${width}px`, height: `${height}px` }} aria-hidden="true" />
      </div>
      <p class="quiet small">
        Nodes {Math.floor(from)} to {Math.min(size, Math.ceil(from + width / scale))}. A diamond is a node with a
        signature of its own, a red ring a fork. Drag, or hold Ctrl and turn the wheel.
      </p>
      <ul class="legend" aria-label="Authors">
        {data.authors.slice(0, 24).map((author) => (
          <li key={author}>
            <code class={`author author-${colourOf(author)}`} title={author}>
              {shortKey(author)}
            </code>
          </li>
        ))}
        {data.authors.length > 24 && <li class="quiet">and {data.authors.length - 24} more</li>}
      </ul>
      {chosen !== undefined && <Node data={data} seq={chosen} onChoose={choose} />}
    </>
  );
}

function Node({
  data,
  seq,
  onChoose,
}: {
  readonly data: GraphData;
  readonly seq: number;
  readonly onChoose: (seq: number) => void;
}) {
  const author = data.authors[data.lane[seq] ?? 0] ?? '';
  return (
    <section class="card" aria-label="Chosen node" aria-live="polite">
      <h2>
        Node {seq} <code>{data.ids[seq]}…</code>
      </h2>
      <p>
        by{' '}
        <code class={`author author-${colourOf(author)}`} title={author}>
          {shortKey(author)}
        </code>
        {data.sealed[seq] === 1 ? ', signed by itself' : ', covered by a later signature of its author'}
        {data.forked.has(seq) && ', one of two that stand on the same node: a fork'}
      </p>
      <p class="row wrap">
        Stands on{' '}
        {data.parentsOf(seq).map((parent) => (
          <button key={parent} type="button" onClick={() => onChoose(parent)}>
            {parent}
          </button>
        ))}
        {data.parentsOf(seq).length === 0 && 'nothing: it is the first'}
      </p>
    </section>
  );
}

function nextFork(data: GraphData, chosen = -1): number {
  const forks = [...data.forked].sort((a, b) => a - b);
  return forks.find((seq) => seq > chosen) ?? forks[0] ?? 0;
}

function nearest(data: GraphData, { from, scale }: Window, x: number, y: number): number {
  const lane = Math.max(0, Math.floor((y - TOP) / LANE));
  const at = Math.floor(from + x / scale);
  const reach = Math.ceil(Math.max(12, 12 / scale));
  for (let off = 0; off <= reach; off++)
    for (const seq of [at - off, at + off]) if (seq >= 0 && seq < data.size && laneOf(data, seq) === lane) return seq;
  return at;
}

function save(data: GraphData, window: Window): void {
  const url = URL.createObjectURL(new Blob([svgOf(data, window, inkNow())], { type: 'image/svg+xml' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${data.room}.svg`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
