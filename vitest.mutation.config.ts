// Runs test files with the mutants of some folders in their sources, as they are loaded: the tree stays as it is.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { defineConfig } from 'vitest/config';
import { everySuite, folders, neverTests, textFiles } from './vitest.base.js';

const root = import.meta.dirname;
const { MUTATION_CODE: code = '', MUTATION_FILES: files = '[]' } = process.env;
const order = JSON.parse(files) as string[];
const mutated = new Map(Object.entries(JSON.parse(readFileSync(code, 'utf8')) as Record<string, string>));

class InOrder extends BaseSequencer {
  override sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => order.indexOf(moduleId.slice(root.length + 1));
    return Promise.resolve(specifications.sort((one, other) => place(one) - place(other)));
  }
}

export default defineConfig({
  root,
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      load: (id) => mutated.get(id.startsWith(root) ? id.slice(root.length + 1) : id),
    },
    textFiles,
  ],
  test: {
    ...everySuite,
    pool: 'forks',
    isolate: true,
    sequence: { sequencer: InOrder },
    maxWorkers: 1,
    silent: true,
    reporters: ['dot'],
    update: false,
    runner: join(root, 'test', 'mutation', 'runner.ts'),
    include: folders.map((folder) => `${folder}/**/*.test.ts`),
    exclude: [...neverTests, '**/*.system.test.ts', '**/*.long.test.ts'],
  },
});
