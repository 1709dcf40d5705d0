import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const typescript = ['**/*.ts', '**/*.tsx'];
const configs = ['*.config.ts', '*/tsup.config.ts', 'eslint.config.js'];

const publicNamesOnly = {
  regex: '(^|/)(core|server|studio|cli)/(src|dist)(/|$)',
  message: 'Import another package by its public name, such as @weft/core.',
};
const noBarrels = {
  regex: '^\\.{1,2}/(.*/)?index\\.js$',
  message: 'Import the file that holds the name, not a barrel.',
};

const noDefaultExport = {
  selector: 'ExportDefaultDeclaration, ExportSpecifier[exported.name="default"]',
  message: 'Export by name.',
};
const noExportAll = { selector: 'ExportAllDeclaration[exported=null]', message: 'List the exported names.' };

export default defineConfig(
  globalIgnores(['**/dist', '**/.dist-*', '**/node_modules', 'docs/generated', '**/weft-data', '.ci/out']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: typescript,
    extends: [tseslint.configs.base],
    languageOptions: {
      // One program for the whole tree: less than half the time of a program per package.
      parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-var': 'error',
      'prefer-const': 'error',
      'no-console': 'off',
      'no-debugger': 'error',
      'no-restricted-syntax': ['error', noDefaultExport, noExportAll],
      '@typescript-eslint/ban-ts-comment': [
        'error',
        { 'ts-expect-error': true, 'ts-ignore': true, 'ts-nocheck': true },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-restricted-imports': ['error', { patterns: [publicNamesOnly, noBarrels] }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: false },
      ],
    },
  },
  { files: configs, rules: { 'no-restricted-syntax': 'off' } },
);
