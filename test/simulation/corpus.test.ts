import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readCorpus, shortest, writeCorpus } from './corpus.js';

describe('a corpus of seeds', () => {
  let folder = '';
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'corpus-'))));
  afterEach(() => rm(folder, { recursive: true }));

  it('is read as it was written, the shortest first', () => {
    const path = join(folder, 'kept.txt');
    const [long, short, middle] = [
      { seed: 1, steps: 2500 },
      { seed: 9, steps: 100 },
      { seed: 4, steps: 400 },
    ];
    writeCorpus(path, [long, short, middle]);
    expect(readCorpus(path)).toEqual([short, middle, long]);
    expect(shortest([long, short, middle], 500)).toEqual([short, middle]);
    expect(shortest([long, short, middle], 99)).toEqual([]);
  });

  it.each(['7', '7 0', 'seven 100', '7 x'])('refuses the line %j', async (line) => {
    const path = join(folder, 'kept.txt');
    await writeFile(path, `1 100\n${line}\n`);
    expect(() => readCorpus(path)).toThrow(`${line} is no seed with its steps`);
  });
});
