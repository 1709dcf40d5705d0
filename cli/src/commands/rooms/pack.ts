import { readFile } from 'node:fs/promises';
import { type Pack, decodePack, toHex } from '@weft/core';
import { UsageError, cliCommand } from '../../syntax/define.js';
import { jsonFlag } from '../../syntax/flags.js';
import { fields } from '../../output/show.js';

export const inspect = cliCommand({
  operands: ['file'],
  flags: { json: jsonFlag },
}).run(async ({ json }, terminal, [file]) => {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new UsageError(`cannot read ${file}; name a file that this user can read`, { cause });
  });
  const { nodes, seals } = decoded(bytes, file);
  const kinds: Record<string, number> = {};
  for (const { ops } of nodes) for (const { kind } of ops) kinds[kind] = (kinds[kind] ?? 0) + 1;
  const authors = [...new Set(nodes.map(({ author }) => toHex(author)))];
  const about = { bytes: bytes.length, nodes: nodes.length, seals: seals.length, authors, ops: kinds };
  if (json) return terminal.out(JSON.stringify(about));
  for (const line of fields(about)) terminal.out(line);
});

function decoded(bytes: Uint8Array, file: string): Pack {
  try {
    return decodePack(bytes);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`cannot read ${file} as a pack: ${reason}; packs are the bytes in pack frames`, { cause });
  }
}
