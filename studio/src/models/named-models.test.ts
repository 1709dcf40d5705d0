/** Models that docs and help name are models of their vendors: of those that the vendors' own libraries, in the versions of the lock file, know. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { rowOf } from './model-rows.js';

const checkout = fileURLToPath(new URL('../../..', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  anthropic: 'node_modules/@anthropic-ai/sdk/resources/messages/messages.d.ts',
  openai: 'node_modules/openai/resources/shared.d.ts',
};
const textOf = (path: string): string => readFileSync(join(checkout, path), 'utf8');
const PAGES = [
  'README.md',
  'docs/generated/cli.md',
  ...readdirSync(join(checkout, 'docs/guide'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/guide/${name}`),
];

/** Models by `provider/model`, and as the file of models names them. */
const named = PAGES.flatMap((path) => {
  const text = textOf(path);
  const found = [
    ...text.matchAll(/\b(anthropic|openai)\/([a-z][a-z0-9.-]*[a-z0-9])/g),
    ...text.matchAll(/"provider": "(anthropic|openai)", "model": "([^"]+)"(?!, "baseUrl")/g),
  ];
  return found.map(([, vendor = '', model = '']) => [vendor, model, path] as const);
});

it('docs name models', () => expect(named.length).toBeGreaterThan(5));

it.each(named)('%s has a model %s, which %s names', (vendor, model) => {
  expect(textOf(TYPES[vendor]!)).toContain(`'${model}'`);
  // It is a known one: what it can take is not guessed.
  expect(rowOf(model).context).not.toBe(rowOf('nobody has described it').context);
});
