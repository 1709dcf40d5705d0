/** The picture of README.md is drawn from a newcomer's terminals, in which its lines were typed and a goal landed. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { checkout } from '../architecture/source-tree.js';
import { blocksOf, commandsIn } from './page-code.js';

const Header = z.object({ version: z.literal(2), width: z.number(), height: z.number(), title: z.string() });
const Said = z.tuple([z.number(), z.literal('o'), z.string()]);

it('the picture is the one that the recording draws', () => {
  const script = join(checkout, 'docs', 'recording', 'draw.mjs');
  execFileSync(process.execPath, [script, '--check'], { stdio: 'pipe' });
});

it('the recording is an asciicast of the lines of README.md, to the landing of what they have made', () => {
  const text = readFileSync(join(checkout, 'docs', 'recording', 'first-goal.cast'), 'utf8');
  const [header, ...lines] = text
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  const said = lines.map((line) => Said.parse(line));
  const shown = said.map(([, , line]) => line.trimEnd());
  expect(Header.parse(header).height).toBe(said.length);
  expect(shown.filter((line) => line.startsWith('$ '))).toEqual(
    commandsIn(blocksOf('README.md', 'sh')[0] ?? '').map((line) => `$ ${line}`),
  );
  expect(shown.at(-1)).toMatch(/^MP-[0-9a-f]{8} has landed on main: 1 file$/);
  expect(said.map(([seconds]) => seconds)).toEqual(said.map(([seconds]) => seconds).toSorted((a, b) => a - b));
  // What is worth showing: what is asked, what is read before it is decided, and the decision.
  for (const word of ['Register it? [y/N]', '+# Show results with two decimals', 'Land it?'])
    expect(shown.join('\n')).toContain(word);
});
