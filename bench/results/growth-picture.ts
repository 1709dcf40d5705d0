// Picture of a `growth` run: time and memory over size, both axes logarithmic, a line for each series.
import type { Row } from './row.js';

const PANEL = { width: 420, height: 300, left: 56, top: 34, bottom: 40 };
const COLOURS = ['#2563eb', '#d97706', '#059669', '#dc2626', '#7c3aed', '#475569'];

interface Line {
  readonly name: string;
  readonly points: readonly (readonly [size: number, value: number])[];
  readonly exponent: number | undefined;
}

export function drawGrowth(rows: readonly Row[]): string {
  const panels = [
    drawPanel('milliseconds of processor', linesOf(rows, 'ms', 'time_exponent'), 0),
    drawPanel('megabytes held', linesOf(rows, 'mb', 'memory_exponent'), PANEL.width),
  ];
  const size = `width="${PANEL.width * 2}" height="${PANEL.height}" viewBox="0 0 ${PANEL.width * 2} ${PANEL.height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="11">
<rect width="100%" height="100%" fill="#ffffff"/>
${panels.join('\n')}
</svg>
`;
}

function linesOf(rows: readonly Row[], figure: string, exponent: string): readonly Line[] {
  return [...new Set(rows.map(({ trace }) => trace))].map((name) => {
    const own = rows.filter(({ trace }) => trace === name).map(({ figures }) => figures);
    const points = own.flatMap((one) => (one[figure]! > 0 ? [[one['size']!, one[figure]!] as const] : []));
    return { name, points, exponent: own.at(-1)?.[exponent] };
  });
}

function drawPanel(title: string, lines: readonly Line[], x: number): string {
  const points = lines.flatMap((line) => line.points);
  if (points.length === 0) return '';
  const [across, up] = [spanOf(points.map(([size]) => size)), spanOf(points.map(([, value]) => value))];
  const right = PANEL.width - 90;
  const [foot, head] = [PANEL.height - PANEL.bottom, PANEL.top];
  const atX = (power: number): number =>
    x + PANEL.left + ((power - across[0]) / (across[1] - across[0])) * (right - PANEL.left);
  const atY = (power: number): number => foot - ((power - up[0]) / (up[1] - up[0])) * (foot - head);
  const grid: string[] = [];
  for (let power = across[0]; power <= across[1]; power++)
    grid.push(rule(atX(power), head, atX(power), foot), label(atX(power), foot + 15, ten(power), 'middle'));
  for (let power = up[0]; power <= up[1]; power++)
    grid.push(
      rule(x + PANEL.left, atY(power), x + right, atY(power)),
      label(x + PANEL.left - 6, atY(power) + 4, ten(power), 'end'),
    );
  const drawn = lines.flatMap(({ name, points: own, exponent }, index) => {
    const colour = COLOURS[index % COLOURS.length]!;
    const places = own.map(([size, value]) => `${round(atX(Math.log10(size)))},${round(atY(Math.log10(value)))}`);
    const said = exponent === undefined ? name : `${name} ${exponent.toFixed(2)}`;
    return [
      `<polyline points="${places.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      `<text x="${x + right + 8}" y="${head + 12 + index * 16}" fill="${colour}">${said}</text>`,
    ];
  });
  return [
    `<text x="${x + PANEL.left}" y="18" font-weight="bold">${title}, with the exponent of each</text>`,
    ...grid,
    ...drawn,
  ].join('\n');
}

/** Powers of ten around some values, at least one apart. */
function spanOf(values: readonly number[]): readonly [number, number] {
  const least = Math.floor(Math.log10(Math.min(...values)));
  return [least, Math.max(least + 1, Math.ceil(Math.log10(Math.max(...values))))];
}

const ten = (power: number): string =>
  power >= -2 && power <= 3 ? String(Number((10 ** power).toPrecision(1))) : `1e${power}`;
const round = (value: number): string => value.toFixed(1);
const rule = (x1: number, y1: number, x2: number, y2: number): string =>
  `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="#e2e8f0"/>`;
const label = (x: number, y: number, text: string, anchor: string): string =>
  `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" fill="#475569">${text}</text>`;
