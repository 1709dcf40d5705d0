/** Format of a data folder, and what it takes to bring one to the format that this version writes. [ST5] [ST13] */
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { StoreError } from '../../ports/store.js';
import type { MigrationPlan } from '../migration-plan.js';
import { onDisk, unlessGone } from './disk.js';

export const FORMAT = 1;

/** Says what bringing a folder to this version's format would do. Nothing is touched, nor made. */
export async function planMigration(folder: string): Promise<MigrationPlan> {
  const path = join(folder, 'format');
  const text = await onDisk(`read ${path}`, () => unlessGone(readFile(path, 'utf8')));
  if (text === undefined)
    throw new StoreError('unreadable', `${folder} is no data folder of Weft: it has no format; name the one you mean`);
  return { from: formatIn(text, folder), to: FORMAT, steps: [] };
}

/** The number that a format file holds; throws for one that this version does not read. */
export function formatIn(text: string, folder: string): number {
  const [, digits] = /^([1-9][0-9]*)\n?$/.exec(text) ?? [];
  if (digits === undefined)
    throw new StoreError('damaged', `${join(folder, 'format')} does not hold a format number; restore a backup`);
  const found = Number(digits);
  if (found <= FORMAT) return found;
  throw new StoreError('newer-format', `${folder} was written by a newer Weft (format ${found}); use that version`);
}
