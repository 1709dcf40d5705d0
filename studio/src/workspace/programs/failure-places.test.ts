import { expect, it } from 'vitest';
import { inRepository } from './failure-places.js';

const FILES = new Set(['go.mod', 'core/sum_test.go', 'web/sum_test.go', 'services/api/src/a.ts', 'src/a.ts']);
const placed = (root: string, file: string, within?: string): string | undefined =>
  inRepository([{ file, message: 'm', ...(within === undefined ? {} : { within }) }], FILES, root)[0]?.file;

it('a file is named from the root of the repository: from the project that names it, and the package', () => {
  expect(placed('.', 'sum_test.go', 'example.org/x/web')).toBe('web/sum_test.go');
  expect(placed('services/api', 'src/a.ts')).toBe('services/api/src/a.ts');
  // Named from the root already, as by who runs in a folder and says whole paths.
  expect(placed('services/api', 'core/sum_test.go')).toBe('core/sum_test.go');
  // What is not in the repository stays as it was said.
  expect(placed('.', 'gone.go', 'example.org/x/web')).toBe('gone.go');
  expect(inRepository([{ message: 'm' }], FILES, '.')).toEqual([{ message: 'm' }]);
});
