import { describe, expect, it } from 'vitest';
import type { ProjectRoot } from '../../workspace/programs/profile.js';
import { planOf } from './plan.js';

const roots: readonly ProjectRoot[] = [
  { relativePath: '.', stack: 'npm', isLongRunning: false, buildCommand: 'nb', testCommand: 'nt', lintCommand: 'nl' },
  {
    relativePath: 'rs',
    stack: 'cargo',
    isLongRunning: false,
    testCommand: 'ct',
    setup: { command: 'get', folder: 'deps' },
  },
];

const plan = (ordered: Parameters<typeof planOf>[1]) =>
  planOf(roots, ordered).map(({ kind, projectRoot, command }) => `${kind} ${projectRoot} ${command}`);

describe('what is run', () => {
  it('is what the files say, project by project', () => {
    expect(plan({ build: true, test: true })).toEqual(['Build . nb', 'Test . nt', 'Test rs ct']);
    expect(plan({ lint: true })).toEqual(['Lint . nl']);
    expect(plan({ build: false })).toEqual([]);
  });

  it('is what was named instead, where it was named for', () => {
    expect(plan({ build: 'mine', test: true })).toEqual(['Build . mine', 'Test . nt', 'Test rs ct']);
    expect(plan({ lint: 'mine', test: 'own', build: true })).toEqual(['Build . nb', 'Test . own', 'Lint . mine']);
    expect(plan({ lint: 'mine', build: true, test: true })).toEqual([
      'Build . nb',
      'Test . nt',
      'Lint . mine',
      'Test rs ct',
    ]);
    expect(plan({ test: 'mine', build: true, rootPath: './rs/' })).toEqual(['Test rs mine']);
    expect(plan({ test: 'mine', build: true, rootPath: 'new' })).toEqual(['Test new mine']);
    expect(planOf(roots, { test: true, rootPath: 'rs' })).toEqual([
      {
        kind: 'Test',
        projectRoot: 'rs',
        command: 'ct',
        buildSystem: 'cargo',
        setup: { command: 'get', folder: 'deps' },
      },
    ]);
  });
});
