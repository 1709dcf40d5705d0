import type { Column } from '../bench.js';
import type { Machine } from '../measuring/machine.js';
import type { Row } from './row.js';

export const calibrationColumns: readonly Column[] = [
  { figure: 'sha256_114_s', title: 'SHA-256 of 114 B /s', digits: 0 },
  { figure: 'ed25519_sign_s', title: 'Ed25519 sign /s', digits: 0 },
  { figure: 'ed25519_verify_s', title: 'verify /s', digits: 0 },
  { figure: 'fsync_ms', title: 'fsync ms', digits: 2 },
  { figure: 'cpu_share', title: 'share of a core', digits: 2 },
];

export function renderMachine({ cpu, cores, memory_gb, node, platform }: Machine): string {
  return `${cpu}, ${cores} cores, ${memory_gb} GB, Node ${node}, ${platform}`;
}

/** A Markdown table per trace, columns aligned. A column that no row fills is left out. */
export function renderTables(rows: readonly Row[], columns: readonly Column[]): string {
  const traces = [...new Set(rows.map(({ trace }) => trace))];
  return traces
    .map((trace) =>
      renderTable(
        trace,
        rows.filter((row) => row.trace === trace),
        columns,
      ),
    )
    .join('\n\n');
}

function renderTable(title: string, rows: readonly Row[], columns: readonly Column[]): string {
  const used = columns.filter(({ figure }) => rows.some(({ figures }) => figures[figure] !== undefined));
  const head = [title, ...used.map((column) => column.title), 'checked', 'note'];
  const body = rows.map((row) => [
    [row.lib, row.version, row.form].filter((part) => part !== '').join(' '),
    ...used.map((column) => renderFigure(row, column)),
    row.checked ? 'yes' : 'NO',
    row.note,
  ]);
  const widths = head.map((text, index) => Math.max(text.length, ...body.map((cells) => (cells[index] ?? '').length)));
  const last = head.length - 1;
  const line = (cells: readonly string[]): string => {
    const padded = cells.map((text, index) => {
      const width = widths[index] ?? 0;
      return index === 0 || index >= last - 1 ? text.padEnd(index === last ? 0 : width) : text.padStart(width);
    });
    return `| ${padded.join(' | ')} |`;
  };
  const rule = head.map((_text, index) => (index === 0 || index >= last - 1 ? '---' : '--:'));
  return [line(head), `|${rule.join('|')}|`, ...body.map(line)].join('\n');
}

function renderFigure({ figures, spread }: Row, { figure, digits }: Column): string {
  const value = figures[figure];
  if (value === undefined) return '';
  const number = value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const percent = Math.round((spread[figure] ?? 0) * 100);
  // A figure near zero has no meaningful share.
  if (percent > 999) return `${number} ±>999%`;
  return percent === 0 ? number : `${number} ±${percent}%`;
}
