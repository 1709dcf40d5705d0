import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ProjectRoot, detectRoots, filesToRead } from './profile.js';

function detect(files: Readonly<Record<string, string>>): ProjectRoot[] {
  const names = Object.keys(files);
  const wanted = new Set(filesToRead(names));
  return detectRoots(names, (path) => (wanted.has(path) ? files[path] : undefined));
}

const CASES: readonly [name: string, files: Readonly<Record<string, string>>, expected: object][] = [
  [
    'npm',
    {
      'package.json': '{"scripts":{"build":"x","test":"x","lint":"x","start":"x"},"dependencies":{"a":"1"}}',
      'package-lock.json': '',
    },
    {
      stack: 'npm',
      setup: { command: 'npm ci', folder: 'node_modules' },
      buildCommand: 'npm run build',
      testCommand: 'npm run test',
      lintCommand: 'npm run lint',
      runCommand: 'npm run start',
      isLongRunning: true,
    },
  ],
  [
    'npm without anything',
    { 'package.json': '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}' },
    { stack: 'npm' },
  ],
  ['npm that is broken', { 'package.json': '{' }, { stack: 'npm' }],
  [
    'pnpm',
    { 'package.json': '{"scripts":{"dev":"x"}}', 'pnpm-lock.yaml': '' },
    { stack: 'npm', runCommand: 'pnpm run dev', isLongRunning: true },
  ],
  [
    'yarn',
    { 'package.json': '{"packageManager":"yarn@4.1.0","scripts":{"build":"x"}}' },
    { stack: 'npm', buildCommand: 'yarn run build' },
  ],
  [
    'cargo',
    { 'Cargo.toml': '[package]', 'src/main.rs': '' },
    {
      stack: 'cargo',
      buildCommand: 'cargo build',
      testCommand: 'cargo test',
      lintCommand: 'cargo clippy',
      runCommand: 'cargo run',
    },
  ],
  [
    'go',
    { 'go.mod': 'module x', 'main.go': '' },
    {
      stack: 'go',
      buildCommand: 'go build ./...',
      testCommand: 'go test ./...',
      lintCommand: 'go vet ./...',
      runCommand: 'go run .',
    },
  ],
  [
    'python with pytest',
    { 'pyproject.toml': '[tool.pytest]\n[tool.ruff]', 'app.py': '' },
    {
      stack: 'python',
      buildCommand: 'python3 -m compileall -q .',
      testCommand: 'python3 -m pytest',
      lintCommand: 'ruff check .',
      runCommand: 'python3 app.py',
    },
  ],
  [
    'python without',
    { 'setup.py': '', 'tests/test_a.py': '' },
    { stack: 'python', buildCommand: 'python3 -m compileall -q .', testCommand: 'python3 -m unittest discover' },
  ],
  [
    'maven',
    { 'pom.xml': '', mvnw: '' },
    { stack: 'maven', buildCommand: './mvnw -B -q package -DskipTests', testCommand: './mvnw -B test' },
  ],
  [
    'gradle',
    { 'build.gradle.kts': '' },
    {
      stack: 'gradle',
      buildCommand: 'gradle --no-daemon --console=plain assemble',
      testCommand: 'gradle --no-daemon --console=plain test',
    },
  ],
  [
    'dotnet',
    { 'a.csproj': '<OutputType>Exe</OutputType>' },
    {
      stack: 'dotnet',
      buildCommand: 'dotnet build --nologo',
      testCommand: 'dotnet test --nologo',
      runCommand: 'dotnet run',
    },
  ],
  [
    'cmake',
    { 'CMakeLists.txt': 'enable_testing()' },
    {
      stack: 'cmake',
      buildCommand: 'cmake -S . -B "$TMPDIR/build" && cmake --build "$TMPDIR/build"',
      testCommand: expect.stringContaining('ctest --test-dir "$TMPDIR/build"') as string,
    },
  ],
  [
    'make',
    { Makefile: 'all:\n\ntest := no\ncheck: all\n\trun\nrun:\n' },
    { stack: 'make', buildCommand: 'make', testCommand: 'make check', runCommand: 'make run' },
  ],
];

describe('the profile of a folder', () => {
  it.each(CASES)('%s', (_name, files, expected) => {
    expect(detect(files)).toEqual([{ relativePath: '.', isLongRunning: false, ...expected }]);
  });

  it('has a root for each project, but not for what is part of another or belongs to others', () => {
    const roots = detect({
      'package.json': '{"workspaces":["packages/*"]}',
      'packages/a/package.json': '{}',
      'tools/package.json': '{}',
      'node_modules/b/package.json': '{}',
      'native/Cargo.toml': '[workspace]',
      'native/one/Cargo.toml': '',
      'py/requirements.txt': '',
      'a/b/c/d/e/go.mod': '',
    });
    expect(roots.map(({ relativePath, stack }) => [relativePath, stack])).toEqual([
      ...[
        ['.', 'npm'],
        ['native', 'cargo'],
        ['py', 'python'],
        ['tools', 'npm'],
      ],
    ]);
  });

  it('has the beginning of what people have written for agents', () => {
    const [root] = detect({ 'go.mod': '', 'CLAUDE.md': 'no', 'AGENTS.md': 'x'.repeat(5000) });
    expect(root?.ruleFileContent).toBe('x'.repeat(4000));
  });

  it('is empty where there is nothing known, and comes to an end whatever lies there', () => {
    expect(detect({ 'README.md': '' })).toEqual([]);
    const name = fc.constantFrom('package.json', 'Cargo.toml', 'Makefile', 'pom.xml', 'pyproject.toml', 'a', 'x.sln');
    const path = fc.array(name, { minLength: 1, maxLength: 6 }).map((names) => names.join('/'));
    fc.assert(
      fc.property(fc.dictionary(path, fc.oneof(fc.string(), fc.json())), (files) => {
        expect(detect(files).length).toBeLessThanOrEqual(16);
      }),
    );
  });
});
