/** Languages of the suite: how a function, its tests and a project look in each. Only toolchains that need no download. */

export type Value = string | number | boolean | null | readonly Value[];
/** Call of a function, and what it answers. */
export type Example = readonly [args: readonly Value[], answer: Value];

export interface Module {
  readonly name: string;
  readonly fn: string;
  readonly code: string;
}

export interface Language {
  readonly name: 'js' | 'python' | 'shell';
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

const js: Language = {
  name: 'js',
  sources: 'src/**',
  project: (name) => ({
    'package.json': `${JSON.stringify({ name, version: '1.0.0', type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`,
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

/** Literal of Python. */
const py = (value: Value): string => {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return Array.isArray(value) ? `[${value.map((one: Value) => py(one)).join(', ')}]` : JSON.stringify(value);
};

const python: Language = {
  name: 'python',
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

const shell: Language = {
  name: 'shell',
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

export const LANGUAGES = { js, python, shell } as const;
