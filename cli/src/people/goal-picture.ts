/** A goal as a picture: its units from left to right, what waits for what, and how each stands. */
import type { UnitSeen } from './work.js';

/** Unit as it is drawn. */
export interface DrawnUnit extends UnitSeen {
  readonly dependsOn: readonly string[];
}

const WIDTH = 230;
const HEIGHT = 52;
const GAP = { x: 60, y: 16 } as const;
const MARGIN = 20;
const MOST_LETTERS = 30;

/** Colours of states, on a light ground; the word says the same. */
const TONES: Readonly<Record<string, string>> = {
  Completed: '#25693a',
  Merged: '#25693a',
  Executing: '#1a5fa8',
  UnderReview: '#8a5200',
  Proposed: '#8a5200',
  Blocked: '#a3262a',
  DeadLettered: '#a3262a',
  Failed: '#a3262a',
  Cancelled: '#5a626b',
};
const QUIET = '#5a626b';

interface Placed {
  readonly unit: DrawnUnit;
  readonly depth: number;
  readonly row: number;
}

/** SVG of the units of a goal: its root and all below it. */
export function goalPicture(rootId: string, units: readonly DrawnUnit[]): string {
  const placed = placesOf(rootId, units);
  const at = new Map(placed.map((one) => [one.unit.workUnitId, one]));
  const width = MARGIN * 2 + (Math.max(0, ...placed.map(({ depth }) => depth)) + 1) * (WIDTH + GAP.x) - GAP.x;
  const height = MARGIN * 2 + (Math.max(0, ...placed.map(({ row }) => row)) + 1) * (HEIGHT + GAP.y) - GAP.y;
  const lines = placed.flatMap((one) => linesTo(one, at));
  const boxes = placed.map(box);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13">`,
    `<rect width="${width}" height="${height}" fill="#fbfaf8"/>`,
    ...lines,
    ...boxes,
    '</svg>',
  ].join('\n');
}

/** Units in the order of a walk: a row for each that has nothing below it, and parents beside their first. */
function placesOf(rootId: string, units: readonly DrawnUnit[]): Placed[] {
  const placed: Placed[] = [];
  const seen = new Set<string>();
  let row = 0;
  const place = (unit: DrawnUnit, depth: number): void => {
    if (seen.has(unit.workUnitId)) return;
    seen.add(unit.workUnitId);
    placed.push({ unit, depth, row });
    const children = units.filter(({ parentWorkUnitId }) => parentWorkUnitId === unit.workUnitId);
    for (const child of children) place(child, depth + 1);
    if (children.length === 0) row += 1;
  };
  const root = units.find(({ workUnitId }) => workUnitId === rootId);
  if (root) place(root, 0);
  return placed;
}

function linesTo({ unit, depth, row }: Placed, at: ReadonlyMap<string, Placed>): string[] {
  const parent = at.get(unit.parentWorkUnitId ?? '');
  const [x, y] = cornerOf(depth, row);
  const from = parent && cornerOf(parent.depth, parent.row);
  const branch = from
    ? [`<path d="${curve(from[0] + WIDTH, from[1] + HEIGHT / 2, x, y + HEIGHT / 2)}" fill="none" stroke="#b9b4ac"/>`]
    : [];
  const waits = unit.dependsOn.flatMap((id) => {
    const other = at.get(id);
    if (!other) return [];
    const [left, top] = cornerOf(other.depth, other.row);
    const path = curve(left + WIDTH / 2, top + HEIGHT, x + WIDTH / 2, y);
    return [`<path d="${path}" fill="none" stroke="#8a5200" stroke-dasharray="4 3"/>`];
  });
  return [...branch, ...waits];
}

function box({ unit: { goal, status }, depth, row }: Placed): string {
  const [x, y] = cornerOf(depth, row);
  const line = goal.split('\n', 1)[0] ?? '';
  const title = line.length > MOST_LETTERS ? `${line.slice(0, MOST_LETTERS - 1)}…` : line;
  const tone = TONES[status] ?? QUIET;
  return [
    `<g><title>${escaped(line)}</title>`,
    `<rect x="${x}" y="${y}" width="${WIDTH}" height="${HEIGHT}" rx="6" fill="#ffffff" stroke="${tone}"/>`,
    `<text x="${x + 12}" y="${y + 21}" fill="#1d2125">${escaped(title)}</text>`,
    `<text x="${x + 12}" y="${y + 40}" fill="${tone}">${escaped(status)}</text></g>`,
  ].join('');
}

function cornerOf(depth: number, row: number): readonly [number, number] {
  return [MARGIN + depth * (WIDTH + GAP.x), MARGIN + row * (HEIGHT + GAP.y)];
}

function curve(x1: number, y1: number, x2: number, y2: number): string {
  const middle = (x1 + x2) / 2;
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
}

/** Text inside an element. Characters that XML has no place for are shown as what they are not: a mark. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
