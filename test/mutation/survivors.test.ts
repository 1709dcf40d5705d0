import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { subjects } from './subjects.js';
import { readSurvivors } from './survivors.js';

const root = join(import.meta.dirname, '..', '..');
const folder = join(import.meta.dirname, 'survivors');

/** A source as survivors quote it. */
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8').replaceAll(/\s+/g, ' ');

describe('what no test has noticed', () => {
  it.each(readdirSync(folder))('stands in the sources as they are: %s', (name) => {
    const survivors = readSurvivors(join(folder, name));
    expect(survivors.filter(({ file, from }) => !existsSync(join(root, file)) || !textOf(file).includes(from))).toEqual(
      [],
    );
  });

  it('is of subjects that are there, with tests that are', () => {
    const named = subjects.flatMap(({ folder: sources, also = [] }) => [sources, ...also]);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const lists = subjects.map(({ folder: sources }) => `${sources.replaceAll('/', '-')}.tsv`);
    expect(readdirSync(folder).filter((name) => !lists.includes(name))).toEqual([]);
  });
});
