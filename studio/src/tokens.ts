/**
 * Bearer tokens of this host: one per scope, made at first start, kept in `<folder>/studio.tokens.json`.
 *
 * The file is a private one like the host's keys: made whole, never replaced, refused when others can read it.
 */
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { privateFile } from '@weft/core/level';
import { z } from 'zod';

const Token = z.string().regex(/^[0-9a-f]{64}$/);
const StudioTokensFile = z.strictObject({ admin: Token, operate: Token, read: Token });

export type StudioTokens = Readonly<z.infer<typeof StudioTokensFile>>;

export const TOKENS_FILE = 'studio.tokens.json';

/** Fresh tokens, stored nowhere. */
export function newTokens(): StudioTokens {
  return { admin: newToken(), operate: newToken(), read: newToken() };
}

export async function loadTokens(folder: string): Promise<StudioTokens> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, TOKENS_FILE);
  return parseTokens(path, await privateFile(path, `${JSON.stringify(newTokens(), null, 2)}\n`));
}

function parseTokens(path: string, text: string): StudioTokens {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw malformed(path, cause);
  }
  const tokens = StudioTokensFile.safeParse(value);
  if (!tokens.success) throw malformed(path, tokens.error);
  return tokens.data;
}

function newToken(): string {
  return randomBytes(32).toString('hex');
}

function malformed(path: string, cause: unknown): Error {
  const content = 'the tokens {admin, operate, read}, each of 64 hex digits';
  return new Error(`${path} does not hold ${content}; delete it to have new ones made`, { cause });
}
