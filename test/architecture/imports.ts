import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import ts from 'typescript';
import type { Files } from './source-tree.js';
import { forEachNode, parse } from './syntax.js';

export interface Import {
  readonly specifier: string;
  /** Whether it is gone after compilation: `import type`, or every imported name marked `type`. */
  readonly typeOnly: boolean;
  readonly dynamic: boolean;
  /** Names that it takes or passes on, of types too; `*` for all of them. */
  readonly names: readonly string[];
  /** Names that are not marked as types. */
  readonly values: readonly string[];
}

const found = new WeakMap<ts.SourceFile, readonly Import[]>();

export function importsOf(path: string, text: string): readonly Import[] {
  const source = parse(path, text);
  const before = found.get(source);
  if (before !== undefined) return before;
  const imports: Import[] = [];
  const take = (node: ts.Node): void => {
    const one = asImport(node);
    if (one !== undefined) imports.push(one);
  };
  // Only these calls, and the types that look like them, stand anywhere but at the top: few files are walked whole.
  if (/\b(import|require)\s*[(<]/.test(text)) forEachNode(source, take);
  else source.statements.forEach(take);
  found.set(source, imports);
  return imports;
}

function asImport(node: ts.Node): Import | undefined {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    const { importClause: clause, moduleSpecifier } = node;
    const named = clause?.namedBindings;
    const elements = named !== undefined && ts.isNamedImports(named) ? named.elements : undefined;
    const whole = [
      ...(clause?.name === undefined ? [] : ['default']),
      ...(named === undefined || elements !== undefined ? [] : ['*']),
    ];
    const typeOnly = clause?.isTypeOnly === true || (clause?.name === undefined && allTypes(elements));
    return staticImport(moduleSpecifier.text, typeOnly, whole, elements ?? []);
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined && ts.isStringLiteral(node.moduleSpecifier)) {
    const clause = node.exportClause;
    const elements = clause !== undefined && ts.isNamedExports(clause) ? clause.elements : undefined;
    const typeOnly = node.isTypeOnly || allTypes(elements);
    return staticImport(node.moduleSpecifier.text, typeOnly, elements === undefined ? ['*'] : [], elements ?? []);
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal)) {
    return { specifier: node.argument.literal.text, typeOnly: true, dynamic: false, names: ['*'], values: [] };
  }
  if (
    ts.isCallExpression(node) &&
    (node.expression.kind === ts.SyntaxKind.ImportKeyword || isRequire(node.expression))
  ) {
    const [argument] = node.arguments;
    if (argument !== undefined && ts.isStringLiteralLike(argument)) {
      return { specifier: argument.text, typeOnly: false, dynamic: true, names: ['*'], values: ['*'] };
    }
  }
  return undefined;
}

type Elements = readonly (ts.ImportSpecifier | ts.ExportSpecifier)[];

function staticImport(specifier: string, typeOnly: boolean, whole: readonly string[], elements: Elements): Import {
  const nameOf = ({ propertyName, name }: Elements[number]): string => (propertyName ?? name).text;
  const values = [...whole, ...elements.filter((element) => !element.isTypeOnly).map(nameOf)];
  return {
    specifier,
    typeOnly,
    dynamic: false,
    names: [...whole, ...elements.map(nameOf)],
    values: typeOnly ? [] : values,
  };
}

function allTypes(elements: Elements | undefined): boolean {
  return elements !== undefined && elements.length > 0 && elements.every((element) => element.isTypeOnly);
}

function isRequire(expression: ts.Expression): boolean {
  return ts.isIdentifier(expression) && expression.text === 'require';
}

/**
 * Path of the checkout that a specifier names: a relative one, or one that the nearest package.json maps under `imports`
 * (`#name`). Undefined for packages. A file that is not there keeps the path that it would have.
 */
export function importTarget(from: string, specifier: string, files: Files): string | undefined {
  if (specifier.startsWith('.')) return sourceAt(posix.join(posix.dirname(from), specifier), files);
  if (!specifier.startsWith('#')) return undefined;
  const manifest = nearestManifest(from, files);
  const mapped = manifest === undefined ? undefined : mappedBy(importMap(files.get(manifest) ?? '{}'), specifier);
  return sourceAt(mapped === undefined ? specifier : posix.join(posix.dirname(manifest ?? ''), mapped), files);
}

/** Source of an imported path: `./x.js` is `./x.ts`. */
function sourceAt(plain: string, files: Files): string {
  const candidates = [plain.replace(/\.js$/, '.ts'), plain.replace(/\.jsx?$/, '.tsx'), plain];
  return candidates.find((candidate) => files.has(candidate)) ?? candidates[0] ?? plain;
}

function nearestManifest(from: string, files: Files): string | undefined {
  for (let folder = posix.dirname(from); ; folder = posix.dirname(folder)) {
    const manifest = posix.join(folder, 'package.json');
    if (files.has(manifest)) return manifest;
    if (folder === '.') return undefined;
  }
}

function importMap(manifest: string): readonly (readonly [string, string])[] {
  const parsed: unknown = JSON.parse(manifest);
  const imports: unknown = typeof parsed === 'object' && parsed !== null && 'imports' in parsed ? parsed.imports : {};
  return Object.entries(imports ?? {}).flatMap(([pattern, target]: [string, unknown]) => {
    const path = firstPath(target);
    return path === undefined ? [] : [[pattern, path] as const];
  });
}

/** First path of a map's entry, which is a path, or paths under conditions such as `default`. */
function firstPath(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  if (typeof target !== 'object' || target === null) return undefined;
  return Object.values(target)
    .map(firstPath)
    .find((path) => path !== undefined);
}

function mappedBy(map: readonly (readonly [string, string])[], specifier: string): string | undefined {
  for (const [pattern, target] of map) {
    const [before = '', after] = pattern.split('*');
    if (after === undefined) {
      if (pattern === specifier) return target;
    } else if (specifier.startsWith(before) && specifier.endsWith(after)) {
      return target.replaceAll('*', specifier.slice(before.length, specifier.length - after.length));
    }
  }
  return undefined;
}

/** What of other packages is loaded with `entry`: by it and by the files that it loads, none of which is asked for later. */
export function loadedWith(entry: string, files: Files): string[] {
  const [loaded, reached] = [new Set<string>(), new Set([entry])];
  for (const path of reached) {
    for (const found of importsOf(path, files.get(path) ?? '')) {
      if (found.typeOnly || found.dynamic) continue;
      const target = found.specifier.startsWith('.') ? importTarget(path, found.specifier, files) : undefined;
      if (target === undefined) loaded.add(found.specifier);
      else reached.add(target);
    }
  }
  return [...loaded].filter((specifier) => !isBuiltin(specifier)).sort();
}

/** Package of a specifier: `@scope/name/sub` -> `@scope/name`, `name/sub` -> `name`. */
export function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

export function isBuiltin(specifier: string): boolean {
  return specifier.startsWith('node:') || builtinModules.includes(packageOf(specifier));
}
