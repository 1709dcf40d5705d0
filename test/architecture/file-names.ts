import { type Files, isSource } from './source-tree.js';

/** Names that say nothing of what is inside. */
const drawers = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'misc']);
const emptyWords = new Set([...drawers, 'manager', 'service', 'impl', 'data', 'info']);

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
