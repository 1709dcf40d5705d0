import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'tsup';
import { library } from '../tsup.base.js';

/** Names the code that folds the record: an image that other code has made is not read. */
function hashOfSources(): string {
  const hash = createHash('sha256');
  const names = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  );
  for (const name of names.sort()) hash.update(`${name}\n`).update(readFileSync(join('src', name)));
  return hash.digest('hex');
}

export default defineConfig({
  ...library,
  entry: ['src/index.ts', 'src/efficacy.ts', 'src/face.ts', 'src/testing.ts'],
  define: { STUDIO_CODE: JSON.stringify(hashOfSources()) },
});
