/** Languages of the suite: how a function, its tests and a project look in each. Nothing is downloaded: what a repository depends on lies in it. */

import { type Toolchain, COMPILER_AT } from './toolchains.js';

export type Value = string | number | boolean | null | readonly Value[];
/** Call of a function, and what it answers. */
export type Example = readonly [args: readonly Value[], answer: Value];

export interface Module {
  readonly name: string;
  readonly fn: string;
  readonly code: string;
}

export interface Language {
  readonly name: 'js' | 'ts' | 'python' | 'go' | 'shell';
  /** Program that it takes, besides Node and git. */
  readonly needs?: Toolchain;
  /** Folders of sources and tests, for scopes. */
  readonly sources: string;
  readonly project: (name: string) => Readonly<Record<string, string>>;
  readonly pathOf: (module: string) => string;
  readonly testOf: (
    module: Module,
    title: string,
    examples: readonly Example[],
  ) => readonly [path: string, text: string];
  readonly hiddenOf: (module: Module, examples: readonly Example[]) => Readonly<Record<string, string>>;
  readonly test: string;
  /** One line of a test, by which the easy way finds it. */
  readonly lineOf: (module: Module, example: Example) => string;
}

const jsonText = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

const js: Language = {
  name: 'js',
  sources: 'src/**',
  project: (name) => ({
    'package.json': jsonText({ name, version: '1.0.0', type: 'module', scripts: { test: 'node --test' } }),
  }),
  pathOf: (module) => `src/${module}.js`,
  lineOf: ({ fn }, [args, answer]) =>
    `  assert.deepEqual(${fn}(${args.map((arg) => JSON.stringify(arg)).join(', ')}), ${JSON.stringify(answer)});`,
  testOf: (module, title, examples) => [
    `test/${module.name}.test.js`,
    [
      "import assert from 'node:assert/strict';",
      "import { test } from 'node:test';",
      `import { ${module.fn} } from '../src/${module.name}.js';`,
      '',
      `test('${title}', () => {`,
      ...examples.map((example) => js.lineOf(module, example)),
      '});',
      '',
    ].join('\n'),
  ],
  hiddenOf: (module, examples) => {
    const [, text] = js.testOf(module, 'hidden', examples);
    return { [`test/hidden-${module.name}.test.js`]: text };
  },
  test: 'node --test',
};

/** TypeScript: compiled by the compiler that the repository brings with it, and tested as what was compiled. */
const ts: Language = {
  ...js,
  name: 'ts',
  needs: 'typescript',
  project: (name) => {
    const [version, from] = ['1.0.0', `file:${COMPILER_AT}`];
    const devDependencies = { typescript: from };
    const scripts = { build: 'tsc', test: 'tsc && node --test' };
    const compiler = { resolved: from, dev: true, bin: { tsc: 'bin/tsc' } };
    const packages = { '': { name, version, devDependencies }, 'node_modules/typescript': compiler };
    return {
      'package.json': jsonText({ name, version, type: 'module', scripts, devDependencies }),
      'package-lock.json': jsonText({ name, version, lockfileVersion: 3, requires: true, packages }),
      'tsconfig.json': jsonText({
        compilerOptions: {
          target: 'es2022',
          lib: ['es2022'],
          module: 'nodenext',
          types: [],
          strict: true,
          rootDir: 'src',
          outDir: 'dist',
        },
        include: ['src'],
      }),
      '.gitignore': 'dist/\nnode_modules/\n',
    };
  },
  pathOf: (module) => `src/${module}.ts`,
  testOf: (module, title, examples) => {
    const [path, text] = js.testOf(module, title, examples);
    return [path, text.replace('../src/', '../dist/')];
  },
  hiddenOf: (module, examples) => {
    const [, text] = ts.testOf(module, 'hidden', examples);
    return { [`test/hidden-${module.name}.test.js`]: text };
  },
  test: 'npm ci --offline --ignore-scripts --no-audit --no-fund && npm test',
};

/** Literal of Python. */
const py = (value: Value): string => {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return Array.isArray(value) ? `[${value.map((one: Value) => py(one)).join(', ')}]` : JSON.stringify(value);
};

const python: Language = {
  name: 'python',
  needs: 'python3',
  sources: 'app/**',
  project: (name) => ({
    'pyproject.toml': `[project]\nname = "${name}"\nversion = "1.0.0"\n`,
    'app/__init__.py': '',
    'tests/__init__.py': '',
  }),
  pathOf: (module) => `app/${module}.py`,
  lineOf: ({ fn }, [args, answer]) => `        self.assertEqual(${fn}(${args.map(py).join(', ')}), ${py(answer)})`,
  testOf: (module, title, examples) => [
    `tests/test_${module.name}.py`,
    [
      'import unittest',
      '',
      `from app.${module.name} import ${module.fn}`,
      '',
      '',
      'class Test(unittest.TestCase):',
      `    def test_${title.replaceAll(/\W+/g, '_')}(self):`,
      ...examples.map((example) => python.lineOf(module, example)),
      '',
    ].join('\n'),
  ],
  hiddenOf: (module, examples) => {
    const [, text] = python.testOf(module, 'hidden', examples);
    return { [`tests/test_hidden_${module.name}.py`]: text };
  },
  test: 'python3 -m unittest discover',
};

const quoted = (value: Value): string => `'${String(value).replaceAll("'", `'\\''`)}'`;

/** Literal of Go. The lists of the problems are of whole numbers. */
const inGo = (value: Value): string =>
  Array.isArray(value) ? `[]int{${value.map((one: Value) => inGo(one)).join(', ')}}` : JSON.stringify(value);

const pascal = (title: string): string =>
  title
    .split(/\W+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');

const go: Language = {
  name: 'go',
  needs: 'go',
  sources: 'core/**',
  project: (name) => ({
    'go.mod': `module example.org/${name}\n\ngo 1.19\n`,
    'core/equal_test.go': [
      'package core',
      '',
      'import (',
      '\t"reflect"',
      '\t"testing"',
      ')',
      '',
      'func equal(t *testing.T, got, want any) {',
      '\tt.Helper()',
      '\tif !reflect.DeepEqual(got, want) {',
      '\t\tt.Errorf("got %v, want %v", got, want)',
      '\t}',
      '}',
      '',
    ].join('\n'),
  }),
  pathOf: (module) => `core/${module}.go`,
  lineOf: ({ fn }, [args, answer]) => `\tequal(t, ${fn}(${args.map(inGo).join(', ')}), ${inGo(answer)})`,
  testOf: (module, title, examples) => [
    `core/${module.name}_test.go`,
    [
      'package core',
      '',
      'import "testing"',
      '',
      `func Test${pascal(title)}(t *testing.T) {`,
      ...examples.map((example) => go.lineOf(module, example)),
      '}',
      '',
    ].join('\n'),
  ],
  hiddenOf: (module, examples) => {
    const [, text] = go.testOf(module, 'hidden', examples);
    return { [`core/hidden_${module.name}_test.go`]: text };
  },
  test: 'go vet ./... && go test ./...',
};

const shell: Language = {
  name: 'shell',
  needs: 'make',
  sources: 'bin/**',
  project: () => ({
    Makefile: 'all:\n\ntest:\n\tfor one in tests/*.sh; do sh $$one || exit 1; done\n\n.PHONY: all test\n',
    'tests/lib/check.sh':
      'check() {\n  if [ "$1" != "$2" ]; then\n    echo "$0:1: error: got \'$1\', want \'$2\'"\n    exit 1\n  fi\n}\n',
  }),
  pathOf: (module) => `bin/${module}.sh`,
  lineOf: ({ name }, [args, answer]) => `check "$(sh bin/${name}.sh ${args.map(quoted).join(' ')})" ${quoted(answer)}`,
  testOf: (module, title, examples) => [
    `tests/${module.name}.sh`,
    [`# ${title}`, '. tests/lib/check.sh', ...examples.map((example) => shell.lineOf(module, example)), ''].join('\n'),
  ],
  hiddenOf: (module, examples) => {
    const [, text] = shell.testOf(module, 'hidden', examples);
    return { [`tests/hidden-${module.name}.sh`]: text };
  },
  test: 'make test',
};

export const LANGUAGES = { js, ts, python, go, shell } as const;
