/** Stack rules: known kinds of projects, how each is recognized, built, tested, checked and run. */
import { compileGlob } from '../files/glob.js';

export type Stack = 'npm' | 'cargo' | 'go' | 'python' | 'maven' | 'gradle' | 'dotnet' | 'cmake' | 'make';

/** One-time setup: it has run when its folder exists. */
export interface Setup {
  readonly command: string;
  readonly folder: string;
}

export interface Commands {
  readonly setup?: Setup;
  readonly buildCommand?: string;
  readonly testCommand?: string;
  readonly lintCommand?: string;
  readonly runCommand?: string;
}

/** Folder as the rules see it. */
export interface Seen {
  readonly names: ReadonlySet<string>;
  /** Content of a file; empty where there is none. */
  readonly read: (name: string) => string;
  /** All files below it, relative to it. */
  readonly below: readonly string[];
}

export interface StackRules {
  readonly stack: Stack;
  readonly isRoot: (seen: Seen) => boolean;
  /** Whether the tool includes a project of the same kind in a folder below. */
  readonly covers: (seen: Seen, below: string) => boolean;
  /** Files whose contents the rules read. */
  readonly reads: (name: string) => boolean;
  readonly commands: (seen: Seen) => Commands & { readonly isLongRunning?: boolean };
}

const when = <Given extends object>(condition: boolean, given: Given): Partial<Given> => (condition ? given : {});
const never = (): boolean => false;
const always = (): boolean => true;
const has =
  (...names: string[]) =>
  (seen: Seen) =>
    names.some((name) => seen.names.has(name));
const isOneOf =
  (...names: string[]) =>
  (name: string) =>
    names.includes(name);

const npm: StackRules = {
  stack: 'npm',
  isRoot: has('package.json'),
  reads: isOneOf('package.json', 'pnpm-workspace.yaml'),
  covers: ({ read, names }, below) => {
    if (names.has('pnpm-workspace.yaml')) return true;
    const { workspaces } = packageOf(read('package.json'));
    const globs = Array.isArray(workspaces) ? workspaces : (workspaces as { packages?: unknown } | undefined)?.packages;
    return texts(globs).some((glob) =>
      compileGlob(glob.replace(/^\.\//, '').replace(/\/$/, '').concat('/'))(`${below}/`),
    );
  },
  commands: ({ names, read }) => {
    const { scripts = {}, dependencies, devDependencies, packageManager } = packageOf(read('package.json'));
    const tool = managerOf(names, typeof packageManager === 'string' ? packageManager : '');
    const named = scripts as Readonly<Record<string, unknown>>;
    const has = (name: string): boolean => typeof named[name] === 'string';
    const needsSetup = [dependencies, devDependencies].some((one) => Object.keys(one ?? {}).length > 0);
    const frozen = { npm: names.has('package-lock.json') ? 'npm ci' : 'npm install' }[tool];
    const run = ['start', 'dev', 'serve'].find(has);
    return {
      ...when(needsSetup, { setup: { command: frozen ?? `${tool} install`, folder: 'node_modules' } }),
      ...when(has('build'), { buildCommand: `${tool} run build` }),
      // The placeholder of `npm init` is no test.
      ...when(has('test') && !String(named['test']).includes('no test specified'), { testCommand: `${tool} run test` }),
      ...when(has('lint'), { lintCommand: `${tool} run lint` }),
      ...when(run !== undefined, { runCommand: `${tool} run ${run ?? ''}`, isLongRunning: true }),
    };
  },
};

const cargo: StackRules = {
  stack: 'cargo',
  isRoot: has('Cargo.toml'),
  reads: isOneOf('Cargo.toml'),
  covers: ({ read }) => /^\s*\[workspace\b/m.test(read('Cargo.toml')),
  commands: ({ below }) => ({
    buildCommand: 'cargo build',
    testCommand: 'cargo test',
    lintCommand: 'cargo clippy',
    ...when(below.includes('src/main.rs'), { runCommand: 'cargo run' }),
  }),
};

const go: StackRules = {
  stack: 'go',
  isRoot: has('go.mod', 'go.work'),
  reads: never,
  covers: never,
  commands: ({ names }) => ({
    buildCommand: 'go build ./...',
    testCommand: 'go test ./...',
    lintCommand: 'go vet ./...',
    ...when(names.has('main.go'), { runCommand: 'go run .' }),
  }),
};

const PYTHON_FILES = [
  'pyproject.toml',
  'setup.py',
  'setup.cfg',
  'requirements.txt',
  'tox.ini',
  'pytest.ini',
  'Pipfile',
];
const python: StackRules = {
  stack: 'python',
  isRoot: has(...PYTHON_FILES),
  reads: isOneOf(...PYTHON_FILES),
  covers: never,
  commands: ({ names, read, below }) => {
    const said = PYTHON_FILES.map(read).join('\n');
    const usesPytest =
      /\bpytest\b/.test(said) || names.has('pytest.ini') || below.some((path) => /(^|\/)conftest\.py$/.test(path));
    const hasTests = below.some((path) => /(^|\/)(test_[^/]*|[^/]*_test)\.py$/.test(path));
    const main = ['main.py', 'app.py', '__main__.py'].find((name) => names.has(name));
    return {
      buildCommand: 'python3 -m compileall -q .',
      ...when(usesPytest || hasTests, {
        testCommand: usesPytest ? 'python3 -m pytest' : 'python3 -m unittest discover',
      }),
      ...when(/\bruff\b/.test(said), { lintCommand: 'ruff check .' }),
      ...when(main !== undefined, { runCommand: `python3 ${main ?? ''}` }),
    };
  },
};

const maven: StackRules = {
  stack: 'maven',
  isRoot: has('pom.xml'),
  reads: isOneOf('pom.xml'),
  covers: ({ read }) => read('pom.xml').includes('<modules>'),
  commands: ({ names }) => {
    const tool = names.has('mvnw') ? './mvnw' : 'mvn';
    return { buildCommand: `${tool} -B -q package -DskipTests`, testCommand: `${tool} -B test` };
  },
};

const gradle: StackRules = {
  stack: 'gradle',
  isRoot: has('build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'),
  reads: never,
  covers: has('settings.gradle', 'settings.gradle.kts'),
  commands: ({ names }) => {
    const tool = `${names.has('gradlew') ? './gradlew' : 'gradle'} --no-daemon --console=plain`;
    return { buildCommand: `${tool} assemble`, testCommand: `${tool} test` };
  },
};

const dotnet: StackRules = {
  stack: 'dotnet',
  isRoot: ({ names }) => [...names].some((name) => /\.(sln|slnx|csproj|fsproj|vbproj)$/.test(name)),
  reads: (name) => /\.(csproj|fsproj|vbproj)$/.test(name),
  covers: ({ names }) => [...names].some((name) => /\.slnx?$/.test(name)),
  commands: ({ names, read }) => {
    const isProgram = [...names].some((name) => name.endsWith('proj') && /<OutputType>Exe|Sdk\.Web/.test(read(name)));
    return {
      buildCommand: 'dotnet build --nologo',
      testCommand: 'dotnet test --nologo',
      ...when(isProgram, { runCommand: 'dotnet run' }),
    };
  },
};

/** Build folder outside of the branch's folder. */
const CMAKE_BUILD = 'cmake -S . -B "$TMPDIR/build" && cmake --build "$TMPDIR/build"';
const cmake: StackRules = {
  stack: 'cmake',
  isRoot: has('CMakeLists.txt'),
  reads: isOneOf('CMakeLists.txt'),
  covers: always,
  commands: ({ read }) => ({
    buildCommand: CMAKE_BUILD,
    ...when(/\b(enable_testing|add_test|include\(CTest\))/i.test(read('CMakeLists.txt')), {
      testCommand: `${CMAKE_BUILD} && ctest --test-dir "$TMPDIR/build" --output-on-failure`,
    }),
  }),
};

const MAKEFILES = ['Makefile', 'makefile', 'GNUmakefile'];
const make: StackRules = {
  stack: 'make',
  isRoot: has(...MAKEFILES),
  reads: isOneOf(...MAKEFILES),
  covers: always,
  commands: ({ read }) => {
    const said = MAKEFILES.map(read).join('\n');
    const target = (...names: string[]): string | undefined =>
      names.find((name) => new RegExp(`^${name}\\s*:(?!=)`, 'm').test(said));
    const [test, lint, run] = [target('test', 'check'), target('lint'), target('run', 'serve', 'start')];
    return {
      buildCommand: 'make',
      ...when(test !== undefined, { testCommand: `make ${test ?? ''}` }),
      ...when(lint !== undefined, { lintCommand: `make ${lint ?? ''}` }),
      ...when(run !== undefined, { runCommand: `make ${run ?? ''}` }),
    };
  },
};

/** Stacks by priority, the first match counts: a folder of one kind often has a makefile too. */
export const STACKS: readonly StackRules[] = [npm, cargo, go, python, maven, gradle, dotnet, cmake, make];

/** Parsed package file of somebody else, which may contain anything. */
function packageOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === 'object' && found !== null ? Object.fromEntries(Object.entries(found)) : {};
  } catch {
    return {};
  }
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

function managerOf(names: ReadonlySet<string>, named: string): string {
  const known = /^(npm|pnpm|yarn|bun)@/.exec(named)?.[1];
  if (known !== undefined) return known;
  if (names.has('pnpm-lock.yaml') || names.has('pnpm-workspace.yaml')) return 'pnpm';
  if (names.has('yarn.lock')) return 'yarn';
  return names.has('bun.lock') || names.has('bun.lockb') ? 'bun' : 'npm';
}
