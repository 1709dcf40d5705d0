/**
 * The wire. The schemas themselves are pinned by docs/generated/protocol.md, whose digest changes with any of them:
 * when clients would notice the change, the protocol number goes up with it.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { CLOSE, PROTOCOLS, commandTable } from '@weft/core';
import { expect, it } from 'vitest';

const dialogues = new URL('../conformance/dialogues/', import.meta.url);

it('every command is spoken in a dialogue', () => {
  const spoken = readdirSync(dialogues).map((file) => readFileSync(new URL(file, dialogues), 'utf8'));
  const silent = [...commandTable.commands.keys()].filter((type) => !spoken.some((text) => text.includes(`"${type}"`)));
  expect(silent).toEqual([]);
});

it('protocol numbers', () => {
  expect(PROTOCOLS).toEqual([1]);
});

it('close codes', () => {
  expect(Object.values(CLOSE).map(({ code }) => code)).toEqual([1001, 1008, 1009, 1011, 1012, 4001, 4002, 4008]);
});
