import { existsSync, readFileSync } from 'node:fs';
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type PackedProject, checkout, createPackedProject, packageFolders, runNode } from './packed-project.js';

const Condition = z.union([z.string(), z.record(z.string(), z.string())]);
const Manifest = z.object({
  name: z.string(),
  exports: z.record(z.string(), z.union([z.string(), z.record(z.string(), Condition)])),
});

const Bundling = z.object({ devDependencies: z.record(z.string(), z.string()) });
const Depending = z.object({ dependencies: z.record(z.string(), z.string()).default({}) });

/** Bytes of all files under a folder; what is linked counts where it lies. */
async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

const manifests = new Map(
  packageFolders.map((folder) => {
    const text = readFileSync(join(checkout, folder, 'package.json'), 'utf8');
    return [folder, Manifest.parse(JSON.parse(text))] as const;
  }),
);

/** What a stranger can write after `from`, for all packages. */
const specifiers = [...manifests.values()].flatMap(({ name, exports }) =>
  Object.keys(exports)
    .filter((key) => key !== './package.json')
    .map((key) => `${name}${key.slice(1)}`),
);

/** Functions that programs outside this repository rely on. */
const promised: Readonly<Record<string, readonly string[]>> = {
  '@weft/core': ['createHost', 'generateKeys', 'createReplica', 'encodePack', 'decodePack', 'signToken', 'signProof'],
  '@weft/core/memory': ['memoryStore'],
  '@weft/core/level': ['levelStore'],
  '@weft/core/postgres': ['postgresStore'],
};

let project: PackedProject;

beforeAll(async () => {
  project = await createPackedProject();
}, 180_000);

afterAll(async () => {
  await project?.remove();
});

describe('packed packages', () => {
  it.each(packageFolders)('%s ships only what it should, and all that its exports name', (folder) => {
    const paths = project.packages.get(folder)?.paths ?? [];
    expect(paths).not.toEqual([]);
    const strangers = paths.filter((path) => !/^(package\.json|README\.md|LICENSE|(dist|bin)\/.+)$/.test(path));
    expect(strangers).toEqual([]);
    expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
    expect(paths.filter((path) => path.includes('.test.'))).toEqual([]);
    // What runs in a page is looked at in its developer's tools.
    const scripts = /^(client|core)\b/.test(folder) ? paths.filter((path) => /^dist\/.*\.js$/.test(path)) : [];
    expect(scripts.filter((path) => !paths.includes(`${path}.map`))).toEqual([]);
    const targets = Object.values(manifests.get(folder)?.exports ?? {})
      .flatMap((target) =>
        typeof target === 'string'
          ? [target]
          : Object.values(target).flatMap((one) => (typeof one === 'string' ? [one] : Object.values(one))),
      )
      .map((target) => target.replace('./', ''));
    expect(targets.filter((target) => !paths.includes(target))).toEqual([]);
  });

  it('take at most 60 MB once they are installed, with all that they need', async () => {
    expect(await bytesIn(join(project.folder, 'node_modules'))).toBeLessThanOrEqual(60e6);
  });

  it('bring the licences of what is bundled in them', () => {
    const text = readFileSync(join(project.folder, 'node_modules/@weft/studio/dist/third-party-licences.txt'), 'utf8');
    const { devDependencies } = Bundling.parse(JSON.parse(readFileSync(join(checkout, 'studio/package.json'), 'utf8')));
    expect(Object.keys(devDependencies)).toContain('openai');
    const others = ['core', 'server', 'cli', 'client/web'].map((folder) =>
      readFileSync(join(checkout, folder, 'package.json'), 'utf8'),
    );
    const depended = new Set(others.flatMap((other) => Object.keys(Depending.parse(JSON.parse(other)).dependencies)));
    expect(text).toMatch(/^preact [0-9.]+\n\n[^]{500}/m); // in a package of ours that is bundled
    for (const [name, version] of Object.entries(devDependencies)) {
      if (name.startsWith('@weft/')) continue;
      expect(text).toMatch(new RegExp(`^${name} ${version}\\n\\n[^]{500}`, 'm'));
      // It may be there for another package of ours, which depends on it.
      expect(existsSync(join(project.folder, 'node_modules', name)), name).toBe(depended.has(name));
    }
  });

  it('import from ESM JavaScript, every entry', async () => {
    const script = specifiers.map((name) => `report(${JSON.stringify(name)}, await import(${JSON.stringify(name)}));`);
    await writeFile(
      join(project.folder, 'every.mjs'),
      [`const report = (name, module) => console.log(JSON.stringify([name, Object.keys(module)]));`, ...script].join(
        '\n',
      ),
    );
    const { code, output } = await runNode(project.folder, ['every.mjs']);
    expect(output.split('\n').filter((line) => line !== '' && !line.startsWith('["'))).toEqual([]);
    expect(code).toBe(0);
    const Line = z.tuple([z.string(), z.array(z.string())]);
    const found = new Map(
      output
        .trim()
        .split('\n')
        .map((line) => Line.parse(JSON.parse(line))),
    );
    expect([...found.keys()]).toEqual(specifiers);
    for (const [name, names] of found) expect(names, `${name} exports nothing`).not.toEqual([]);
    for (const [name, names] of Object.entries(promised)) {
      expect(
        names.filter((wanted) => found.get(name)?.includes(wanted) !== true),
        name,
      ).toEqual([]);
    }
  });

  it('are required from CommonJS, every entry, as the very same modules', async () => {
    const lines = specifiers.map(
      (name) => `import(${JSON.stringify(name)}).then((module) => {
  const required = require(${JSON.stringify(name)});
  for (const [key, value] of Object.entries(module))
    if (key !== 'default' && required[key] !== value) console.log(${JSON.stringify(name)}, key);
});`,
    );
    await writeFile(join(project.folder, 'every.cjs'), lines.join('\n'));
    expect(await runNode(project.folder, ['--no-warnings', 'every.cjs'])).toEqual({ code: 0, output: '' });
  });

  it('work: a host is made from what was installed', async () => {
    const script = [
      `import { createHost } from '@weft/core';`,
      `import { memoryStore } from '@weft/core/memory';`,
      `console.log(typeof createHost, typeof memoryStore);`,
    ].join('\n');
    await writeFile(join(project.folder, 'host.mjs'), script);
    expect(await runNode(project.folder, ['host.mjs'])).toEqual({ code: 0, output: 'function function\n' });
  });

  it.each([
    ['NodeNext', 'NodeNext'],
    ['ESNext', 'Bundler'],
    ['Node16', 'Node16'],
  ])('type-check with module %s and moduleResolution %s', async (module, moduleResolution) => {
    const config = {
      compilerOptions: {
        module,
        moduleResolution,
        target: 'ES2023',
        lib: ['ES2023'],
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        types: ['node'],
        typeRoots: [join(checkout, 'node_modules', '@types')],
      },
      files: ['stranger.ts', 'stranger.cts'],
    };
    await writeFile(join(project.folder, `tsconfig.${moduleResolution}.json`), JSON.stringify(config));
    for (const name of ['stranger.ts', 'stranger.cts']) await writeFile(join(project.folder, name), strangerSource());
    const tsc = join(checkout, 'node_modules', 'typescript', 'bin', 'tsc');
    const outcome = await runNode(project.folder, [tsc, '-p', `tsconfig.${moduleResolution}.json`]);
    expect(outcome).toEqual({ code: 0, output: '' });
  });

  it('install a weft command that explains itself', async () => {
    const bin = join(project.folder, 'node_modules', '.bin', 'weft');
    const { code, output } = await runNode(project.folder, [bin, '--help']);
    expect(code).toBe(0);
    expect(output).toMatch(/\bweft\b/);
  });

  it('play the demonstration with a forge, from an issue to what was merged', async () => {
    const bin = join(project.folder, 'node_modules', '.bin', 'weft');
    const { code, output } = await runNode(project.folder, [bin, 'demo', '--remote', '--json']);
    expect(code, output).toBe(0);
    expect(output).toContain('{"passed":true}');
    for (const step of ['opens issue #1', 'requests a change', 'answers: Done in', 'merges request #2'])
      expect(output).toContain(step);
  }, 180_000);

  it('install a command that says which Node it needs, on any that reads it', async () => {
    const bin = join(project.folder, 'node_modules', '.bin', 'weft');
    const old = join(project.folder, 'old.cjs');
    await writeFile(old, "Object.defineProperty(process.versions, 'node', { value: '14.21.3' });");
    const { code, output } = await runNode(project.folder, ['--require', old, bin, '--help']);
    expect(code).toBe(2);
    expect(output).toMatch(/^weft: Node 20\.19 or newer is needed, and this is 14\.21\.3: install one from \S+\n$/);
    // Nothing that Node 14 cannot parse.
    const source = await readFile(join(checkout, 'cli', 'bin', 'weft.js'), 'utf8');
    await expect(transform(source, { target: 'node14', format: 'esm' })).resolves.toMatchObject({ warnings: [] });
    expect(source).not.toMatch(/\?\.|\?\?=|^import |await /m);
  });

  it('take no transport of other platforms with them', () => {
    expect(existsSync(join(project.folder, 'node_modules', 'uWebSockets.js'))).toBe(false);
  });
});

/** Imports every entry, and fails to compile where a promised name has no type of its own. */
function strangerSource(): string {
  const imports = specifiers.map((name, index) => `import * as m${index} from '${name}';`);
  const uses = specifiers.flatMap((name, index) =>
    (promised[name] ?? []).map((wanted) => `export const ${wanted}: Known<typeof m${index}.${wanted}> = true;`),
  );
  const known = `type Known<T> = 0 extends 1 & T ? false : true;`;
  return [...imports, known, ...uses, `export const all = [${specifiers.map((_, i) => `m${i}`).join(', ')}];`].join(
    '\n',
  );
}
