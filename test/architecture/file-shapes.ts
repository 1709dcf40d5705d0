import { type Files, isProduct, isSource } from './source-tree.js';

export const maxLines = 500;

/** Files that may be longer, each with its reason. */
export const longerFiles: ReadonlyMap<string, string> = new Map();

/** Names that say nothing of what is inside. */
const drawers = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'misc']);
const emptyWords = new Set([...drawers, 'manager', 'service', 'impl', 'data', 'info']);

export function lineCount(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

export function tooLong(files: Files, allowed: ReadonlyMap<string, string> = longerFiles): string[] {
  return [...files]
    .filter(([path]) => isSource(path) && !allowed.has(path))
    .map(([path, text]) => ({ path, lines: lineCount(text) }))
    .filter(({ lines }) => lines > maxLines)
    .map(({ path, lines }) => `${path} has ${lines} lines: split it below ${maxLines}`);
}

export function emptyNames(files: Files): string[] {
  const found = new Set<string>();
  for (const path of files.keys()) {
    const parts = path.split('/');
    const file = parts.pop() ?? '';
    for (const [depth, folder] of parts.entries()) {
      if (drawers.has(folder.toLowerCase())) found.add(`${parts.slice(0, depth + 1).join('/')}/`);
    }
    if (!isSource(path)) continue;
    const words = file.replace(/\..*$/, '').toLowerCase().split(/[-_]/);
    if (words.some((word) => emptyWords.has(word))) found.add(path);
    if (/[A-Z_]/.test(file)) found.add(path);
  }
  return [...found].sort();
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

export function productLines(files: Files): number[] {
  return [...files].filter(([path]) => isProduct(path)).map(([, text]) => lineCount(text));
}
