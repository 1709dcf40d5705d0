import { posix } from 'node:path';
import ts from 'typescript';
import { importTarget, importsOf } from './imports.js';
import { type Files, isProduct, isSource, isTest } from './source-tree.js';
import { forEachNode, parse } from './syntax.js';

export interface Export {
  readonly name: string;
  /** Name inside the file; absent when it is passed on from another file. */
  readonly local?: string;
  readonly isType: boolean;
}

/**
 * Exports without a reader: what nothing uses, values that only their own file uses, and values of the product that only
 * tests use. Types that their own file uses stay: they name what an exported function takes or gives.
 */
export function unusedExports(files: Files): string[] {
  const readers = readersOf(files);
  const entries = new Set(entriesOf(files).map(({ source }) => source));
  const found: string[] = [];
  for (const [path, text] of files) {
    if (!isSource(path) || entries.has(path)) continue;
    const read = readers.get(path);
    if (read?.has('*') === true) continue;
    for (const { name, local, isType } of exportsOf(path, text)) {
      const by = [...(read?.get(name) ?? [])];
      // What the product uses elsewhere needs no reader in its own file, which then is not walked.
      if (by.length > 0 && (isType || !isProduct(path) || isForTests(path) || !by.every(isForTests))) continue;
      const inside = local !== undefined && (mentionsIn(path, text).get(local) ?? 0) > 1;
      if (by.length > 0) {
        if (!inside) found.push(`${path} ${name}: only tests use it`);
      } else if (!inside) found.push(`${path} ${name}: nothing uses it`);
      else if (!isType) found.push(`${path} ${name}: only this file uses it`);
    }
  }
  return found.sort();
}

/** Files that each entry of each package is built from, `@weft/core/testing` by `core/src/testing.ts`. */
export function entriesOf(files: Files): { entry: string; source: string }[] {
  return [...files].flatMap(([path, text]) => {
    if (!/^(client\/)?[^/]+\/package\.json$/.test(path)) return [];
    const { name, exports } = JSON.parse(text) as { name?: string; exports?: Record<string, unknown> };
    return Object.keys(exports ?? {}).flatMap((subpath) => {
      const stem = subpath === '.' ? 'index' : subpath.slice(2);
      const source = `${posix.dirname(path)}/src/${stem}.ts`;
      return files.has(source) ? [{ entry: posix.join(name ?? '', subpath), source }] : [];
    });
  });
}

export function exportsOf(path: string, text: string): Export[] {
  return parse(path, text).statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) return namedIn(statement);
    const exported = ts.canHaveModifiers(statement)
      ? ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
      : false;
    if (exported !== true) return [];
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
    return declaredNames(statement).map((name) => ({ name, local: name, isType }));
  });
}

function namedIn({ exportClause, isTypeOnly, moduleSpecifier }: ts.ExportDeclaration): Export[] {
  if (exportClause === undefined || !ts.isNamedExports(exportClause)) return [];
  return exportClause.elements.map(({ name, propertyName, isTypeOnly: ofOne }) => ({
    name: name.text,
    isType: isTypeOnly || ofOne,
    ...(moduleSpecifier === undefined ? { local: (propertyName ?? name).text } : {}),
  }));
}

function declaredNames(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) => namesIn(name));
  }
  const name = 'name' in statement ? (statement.name as ts.Node | undefined) : undefined;
  return name !== undefined && ts.isIdentifier(name) ? [name.text] : [];
}

function namesIn(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? namesIn(element.name) : []));
}

/** Readers: file -> name that it exports -> the other files that take it; `*` where all of its names are taken. */
function readersOf(files: Files): Map<string, Map<string, Set<string>>> {
  const readers = new Map<string, Map<string, Set<string>>>();
  for (const [path, text] of files) {
    if (!isSource(path)) continue;
    for (const { specifier, names } of importsOf(path, text)) {
      const target = importTarget(path, specifier, files);
      if (target === undefined) continue;
      const read = readers.get(target) ?? new Map<string, Set<string>>();
      readers.set(target, read);
      for (const name of names) read.set(name, (read.get(name) ?? new Set()).add(path));
    }
  }
  return readers;
}

function mentionsIn(path: string, text: string): ReadonlyMap<string, number> {
  const mentions = new Map<string, number>();
  forEachNode(parse(path, text), (node) => {
    if (ts.isIdentifier(node)) mentions.set(node.text, (mentions.get(node.text) ?? 0) + 1);
  });
  return mentions;
}

function isForTests(path: string): boolean {
  return isTest(path) || path.includes('/testing/') || !isProduct(path);
}
