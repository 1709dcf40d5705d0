import { describe, expect, it } from 'vitest';
import { proposal } from '../../testing/work/proposal.js';
import { dangersOf } from './review-depth.js';

describe('what is dangerous about a change', () => {
  it.each([
    ['.github/workflows/ci.yml', 'what checks every change'],
    ['Jenkinsfile', 'what checks every change'],
    ['web/package-lock.json', 'dependencies'],
    ['go.mod', 'dependencies'],
    ['requirements-dev.txt', 'dependencies'],
    ['db/migrations/0001_users.js', 'stored or sent formats'],
    ['schema.sql', 'stored or sent formats'],
    ['src/auth/check.ts', 'who may do what'],
    ['src/user-permissions.ts', 'who may do what'],
    ['docker-compose.yml', 'how it is deployed'],
  ])('is that it changes %s: %s', (path, what) => {
    expect(dangersOf(proposal({ filesTouched: ['a.txt', path] }))).toEqual([`it changes ${what} (${path})`]);
  });

  it.each([
    ['src/author.ts'],
    ['src/tokenizer.ts'],
    ['docs/packages.json'],
    ['src/composer.ts'],
    ['src/mysql.ts'],
    ['src/session/session.ts'],
  ])('is not that it changes %s', (path) => {
    expect(dangersOf(proposal({ filesTouched: [path], linesChanged: 3 }))).toEqual([]);
  });

  it('is what it takes from the tests, and what is too much for one look', () => {
    const many = Array.from({ length: 21 }, (_, i) => `src/${i}.ts`);
    expect(dangersOf(proposal({ filesTouched: many }))).toEqual(['it changes 21 files']);
    expect(dangersOf(proposal({ filesTouched: ['a.ts'], linesChanged: 1001 }))).toEqual([
      'it changes 1001 lines in 1 file',
    ]);
    const lost = { filesTouched: ['a.test.ts'], lostTests: ['a.test.ts is deleted, with 2 checks'] };
    expect(dangersOf(proposal(lost))).toEqual(['it takes something away from the tests']);
  });

  it('is named by its first paths', () => {
    const filesTouched = ['a/go.mod', 'b/go.mod', 'c/go.mod', 'd/go.mod'];
    expect(dangersOf(proposal({ filesTouched }))).toEqual([
      'it changes dependencies (a/go.mod, b/go.mod, c/go.mod, …)',
    ]);
  });
});
