/** The picture of README.md is drawn from a run of the demonstration that came to its end. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { checkout } from '../architecture/source-tree.js';

const Header = z.object({ version: z.literal(2), width: z.number(), height: z.number(), title: z.string() });
const Said = z.tuple([z.number(), z.literal('o'), z.string()]);

it('the picture is the one that the recording draws', () => {
  const script = join(checkout, 'docs', 'recording', 'record.mjs');
  execFileSync(process.execPath, [script, '--check'], { stdio: 'pipe' });
});

it('the recording is an asciicast of a whole demonstration', () => {
  const text = readFileSync(join(checkout, 'docs', 'recording', 'demonstration.cast'), 'utf8');
  const [header, ...lines] = text
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  const said = lines.map((line) => Said.parse(line));
  expect(Header.parse(header).height).toBe(said.length);
  expect(said.at(0)?.[2]).toBe('$ npx weft demo\r\n');
  expect(said.at(-1)?.[2]).toBe("the repository's own tests pass\r\n");
  expect(said.map(([seconds]) => seconds)).toEqual(said.map(([seconds]) => seconds).toSorted((a, b) => a - b));
  // What is worth showing: a question, a failure, a conflict that is brought together, and who lands.
  for (const word of ['is asked', 'DeadLettered', 'Bring together', 'lands it']) {
    expect(
      said.some(([, , line]) => line.includes(word)),
      word,
    ).toBe(true);
  }
});
