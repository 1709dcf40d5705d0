import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkout } from '../architecture/source-tree.js';
import { LAWS } from '../simulation/model.js';
import { STUDIO_LAWS } from '../simulation/studio/laws.js';

const page = readFileSync(join(checkout, 'docs', 'proof.md'), 'utf8');

it.each([
  ['of rooms', '## What is promised', LAWS],
  ['of a studio', '### Of a studio', STUDIO_LAWS],
])('what is promised %s names the laws that are checked, and no others', (_, heading, laws) => {
  const [, section = ''] = page.split(`\n${heading}\n`);
  const [said = ''] = section.split(/\n##/);
  const named = [...said.matchAll(/^\| `([a-z-]+)` /gm)].map(([, name]) => name);
  expect(named.sort()).toEqual(Object.keys(laws).sort());
});
