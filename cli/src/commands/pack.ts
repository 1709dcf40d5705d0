import { readFile } from 'node:fs/promises';
import { decodePack, toHex } from '@weft/core';
import { cliCommand } from '../define.js';
import { fields } from '../show.js';

export const inspect = cliCommand({
  name: 'pack inspect',
  summary: 'Show what is in a pack: nodes, authors, kinds of ops, seals. Nothing is verified but its form.',
  operands: ['file'],
  flags: { json: { summary: 'Print JSON, for programs.' } },
}).run(async ({ json }, terminal, [file]) => {
  const bytes = await readFile(file);
  const { nodes, seals } = decodePack(bytes);
  const kinds: Record<string, number> = {};
  for (const { ops } of nodes) for (const { kind } of ops) kinds[kind] = (kinds[kind] ?? 0) + 1;
  const authors = [...new Set(nodes.map(({ author }) => toHex(author)))];
  const about = { bytes: bytes.length, nodes: nodes.length, seals: seals.length, authors, ops: kinds };
  if (json) return terminal.out(JSON.stringify(about));
  for (const line of fields(about)) terminal.out(line);
});
