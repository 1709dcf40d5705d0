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

/**
 * Packages whose sources are changed, and those that bring the built ones of these: tests that import them by name have to see their
 * sources too. Each entry of a package is a source of that name.
 */
const changed = new Set([...mutated.keys()].map((file) => file.split('/')[0]!));
const asSources = changed.has('core') ? ['core', 'server'] : [...changed];
const entry = (name: string): string => (name === 'clock' ? 'ports/clock' : name);

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
    {
      name: 'sources of packages',
      enforce: 'pre',
      resolveId(id) {
        const [, name = '', part = 'index'] = /^@weft\/(\w+)(?:\/(\w+))?$/.exec(id) ?? [];
        return asSources.includes(name) ? join(root, name, 'src', `${entry(part)}.ts`) : undefined;
      },
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
    exclude: neverTests,
  },
});
