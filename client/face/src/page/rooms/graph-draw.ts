/**
 * Drawing of a room's graph: the log from left to right, a lane for each author. What a frame costs is what is in sight: nodes and
 * lines where they are wide enough to be told apart, and otherwise how many there are at each place.
 */
import type { GraphData } from './node-columns.js';
import { colourOf } from './show.js';

export const LANE = 26;
export const TOP = 14;
/** Lanes beyond which further authors share the last one. */
const MOST_LANES = 40;
/** Pixels for a node from which on nodes are drawn, and from which on their lines are. */
const NODES_FROM = 2;
const LINES_FROM = 5;

export interface Window {
  /** Position of the log at the left edge; may be a fraction. */
  readonly from: number;
  /** Pixels for a node. */
  readonly scale: number;
  readonly width: number;
}

export interface Ink {
  readonly authors: readonly string[];
  readonly line: string;
  readonly text: string;
  readonly bad: string;
  readonly ground: string;
}

/** What both a canvas and a text of SVG can be told. */
export interface Pen {
  line(x1: number, y1: number, x2: number, y2: number, colour: string, width: number): void;
  circle(x: number, y: number, radius: number, colour: string, isFilled: boolean): void;
  diamond(x: number, y: number, radius: number, colour: string): void;
  bar(x: number, y: number, width: number, height: number, colour: string): void;
}

export function laneOf(data: GraphData, seq: number): number {
  return Math.min(MOST_LANES - 1, data.lane[seq] ?? 0);
}

export function heightOf(data: GraphData): number {
  return TOP * 2 + Math.max(1, Math.min(MOST_LANES, data.authors.length)) * LANE;
}

export function draw(pen: Pen, data: GraphData, window: Window, ink: Ink, chosen: number | undefined): void {
  const lanes = Math.min(MOST_LANES, data.authors.length);
  for (let lane = 0; lane < lanes; lane++) pen.line(0, middle(lane), window.width, middle(lane), ink.line, 1);
  const from = Math.max(0, Math.floor(window.from));
  const to = Math.min(data.size, Math.ceil(window.from + window.width / window.scale) + 1);
  if (window.scale < NODES_FROM) drawCrowd(pen, data, window, ink, [from, to]);
  else drawNodes(pen, data, window, ink, [from, to], chosen);
}

/** How many nodes each author has at each place, as bars; forks always, because they are what one looks for. */
function drawCrowd(
  pen: Pen,
  data: GraphData,
  { from: left, scale, width }: Window,
  ink: Ink,
  [from, to]: readonly [number, number],
): void {
  const STEP = 3;
  const columns = Math.ceil(width / STEP) + 1;
  const lanes = Math.min(MOST_LANES, data.authors.length);
  const counts = new Uint32Array(columns * lanes);
  for (let seq = from; seq < to; seq++) {
    const column = Math.floor(((seq - left) * scale) / STEP);
    if (column >= 0 && column < columns) counts[laneOf(data, seq) * columns + column]! += 1;
  }
  const most = Math.max(1, STEP / scale);
  for (let lane = 0; lane < lanes; lane++)
    for (let column = 0; column < columns; column++) {
      const count = counts[lane * columns + column] ?? 0;
      if (count === 0) continue;
      const height = Math.max(2, Math.sqrt(Math.min(1, count / most)) * (LANE - 6));
      pen.bar(column * STEP, middle(lane) - height / 2, STEP - 1, height, inkOf(ink, data, lane));
    }
  for (const seq of data.forked)
    if (seq >= from && seq < to) pen.circle((seq - left) * scale, middle(laneOf(data, seq)), 4, ink.bad, true);
}

function drawNodes(
  pen: Pen,
  data: GraphData,
  { from: left, scale }: Window,
  ink: Ink,
  [from, to]: readonly [number, number],
  chosen: number | undefined,
): void {
  const x = (seq: number): number => (seq - left + 0.5) * scale;
  if (scale >= LINES_FROM)
    for (let seq = from; seq < to; seq++) {
      const lane = laneOf(data, seq);
      for (let at = data.ends[seq - 1] ?? 0; at < (data.ends[seq] ?? 0); at++) {
        const parent = data.parents[at] ?? 0;
        const below = laneOf(data, parent);
        const colour = inkOf(ink, data, below);
        pen.line(Math.max(x(parent), -20), middle(below), x(seq), middle(lane), colour, below === lane ? 2 : 1);
      }
    }
  const radius = Math.min(6, Math.max(1, scale / 2.5));
  for (let seq = from; seq < to; seq++) {
    const lane = laneOf(data, seq);
    const colour = inkOf(ink, data, lane);
    if (data.forked.has(seq)) pen.circle(x(seq), middle(lane), radius + 3, ink.bad, true);
    if (data.sealed[seq] === 1 && radius > 2) pen.diamond(x(seq), middle(lane), radius + 1, colour);
    else pen.circle(x(seq), middle(lane), radius, colour, true);
    if (seq === chosen) pen.circle(x(seq), middle(lane), radius + 5, ink.text, false);
  }
}

function middle(lane: number): number {
  return TOP + lane * LANE + LANE / 2;
}

function inkOf(ink: Ink, data: GraphData, lane: number): string {
  return ink.authors[colourOf(data.authors[lane] ?? '')] ?? ink.text;
}

export function canvasPen(canvas: CanvasRenderingContext2D): Pen {
  return {
    line(x1, y1, x2, y2, colour, width) {
      canvas.strokeStyle = colour;
      canvas.lineWidth = width;
      canvas.beginPath();
      canvas.moveTo(x1, y1);
      canvas.lineTo(x2, y2);
      canvas.stroke();
    },
    circle(x, y, radius, colour, isFilled) {
      canvas.beginPath();
      canvas.arc(x, y, radius, 0, 2 * Math.PI);
      canvas.fillStyle = colour;
      canvas.strokeStyle = colour;
      canvas.lineWidth = 2;
      if (isFilled) canvas.fill();
      else canvas.stroke();
    },
    diamond(x, y, radius, colour) {
      canvas.beginPath();
      canvas.moveTo(x, y - radius);
      canvas.lineTo(x + radius, y);
      canvas.lineTo(x, y + radius);
      canvas.lineTo(x - radius, y);
      canvas.closePath();
      canvas.fillStyle = colour;
      canvas.fill();
    },
    bar(x, y, width, height, colour) {
      canvas.fillStyle = colour;
      canvas.fillRect(x, y, width, height);
    },
  };
}

/** A picture as SVG: numbers and colours alone, so there is nothing in it to escape. */
export function svgOf(data: GraphData, window: Window, ink: Ink): string {
  const parts: string[] = [];
  const n = (value: number): string => String(Math.round(value * 10) / 10);
  draw(
    {
      line: (x1, y1, x2, y2, colour, width) =>
        void parts.push(
          `<line x1="${n(x1)}" y1="${n(y1)}" x2="${n(x2)}" y2="${n(y2)}" stroke="${colour}" stroke-width="${width}"/>`,
        ),
      circle: (x, y, radius, colour, isFilled) =>
        void parts.push(
          `<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius)}" ${isFilled ? `fill="${colour}"` : `fill="none" stroke="${colour}"`}/>`,
        ),
      diamond: (x, y, radius, colour) =>
        void parts.push(
          `<path d="M${n(x)} ${n(y - radius)}L${n(x + radius)} ${n(y)}L${n(x)} ${n(y + radius)}L${n(x - radius)} ${n(y)}Z" fill="${colour}"/>`,
        ),
      bar: (x, y, width, height, colour) =>
        void parts.push(`<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" fill="${colour}"/>`),
    },
    data,
    window,
    ink,
    undefined,
  );
  const [width, height] = [n(window.width), n(heightOf(data))];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><rect width="${width}" height="${height}" fill="${ink.ground}"/>${parts.join('')}</svg>`;
}
