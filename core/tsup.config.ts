import { defineConfig } from 'tsup';
import { library } from '../tsup.base.js';

export default defineConfig({
  ...library,
  entry: [
    'src/index.ts',
    'src/memory.ts',
    'src/level.ts',
    'src/postgres.ts',
    'src/client.ts',
    'src/page.ts',
    'src/bindings.ts',
    'src/proofs.ts',
    'src/following.ts',
    'src/keys.ts',
    'src/ports/clock.ts',
    'src/testing.ts',
  ],
});
