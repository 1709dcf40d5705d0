/**
 * Report on the shape of the code: what is longest, widest and fullest. No figure of it is a law: a reviewer reads the list and judges
 * what would read better in another shape.
 */
import { posix } from 'node:path';
import ts from 'typescript';
import type { Files } from './source-tree.js';
import { forEachNode, parse } from './syntax.js';
import { entriesOf, exportsOf } from './unused-exports.js';

export interface Measured {
  readonly name: string;
  readonly size: number;
}

export interface Shape {
  /** Files and functions by their lines. */
  readonly files: readonly Measured[];
  readonly functions: readonly Measured[];
  /** Classes by the methods that others can call, constructors and accessors not counted. */
  readonly classes: readonly Measured[];
  /** Folders by the files that lie in the folder itself. */
  readonly folders: readonly Measured[];
  /** Entries of packages by the names that can be imported from them, of types too. */
  readonly entries: readonly Measured[];
}

/** Measures `code`; `all` also has the manifests that say what the entries of the packages are. Largest first. */
export function shapeOf(code: Files, all: Files): Shape {
  const files: Measured[] = [];
  const functions: Measured[] = [];
  const classes: Measured[] = [];
  const folders = new Map<string, number>();
  for (const [path, text] of code) {
    const source = parse(path, text);
    const lineAt = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
    files.push({ name: path, size: text.trimEnd().split('\n').length });
    folders.set(posix.dirname(path), (folders.get(posix.dirname(path)) ?? 0) + 1);
    forEachNode(source, (node) => {
      const first = lineAt(node.getStart(source));
      const place = `${path}:${first}`;
      if (ts.isClassLike(node)) {
        classes.push({ name: `${place} ${node.name?.text ?? ''}`, size: node.members.filter(isPublicMethod).length });
      } else if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
        functions.push({ name: `${place} ${nameOf(node)}`, size: lineAt(node.end) - first + 1 });
      }
    });
  }
  return {
    files: largestFirst(files),
    functions: largestFirst(functions),
    classes: largestFirst(classes),
    folders: largestFirst([...folders].map(([name, size]) => ({ name, size }))),
    entries: largestFirst(
      entriesOf(all).map(({ entry, source }) => ({
        name: entry,
        size: exportsOf(source, all.get(source) ?? '').length,
      })),
    ),
  };
}

function isPublicMethod(member: ts.ClassElement): boolean {
  if (!ts.isMethodDeclaration(member) || ts.isPrivateIdentifier(member.name)) return false;
  return !(ts.getModifiers(member) ?? []).some(
    ({ kind }) => kind === ts.SyntaxKind.PrivateKeyword || kind === ts.SyntaxKind.ProtectedKeyword,
  );
}

/** Name of a function, or of what it is given to: a variable, a property, a call. */
function nameOf(node: ts.SignatureDeclaration): string {
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  if (ts.isCallExpression(node.parent)) return `${node.parent.expression.getText().replace(/[^\w.][^]*$/, '')}(…)`;
  const named = node.name ?? ('name' in node.parent ? (node.parent.name as ts.Node | undefined) : undefined);
  return named === undefined ? '(no name)' : named.getText();
}

function largestFirst(measured: readonly Measured[]): Measured[] {
  return [...measured].sort((a, b) => b.size - a.size || (a.name < b.name ? -1 : 1));
}

const titles: Readonly<Record<keyof Shape, string>> = {
  files: 'Longest files, in lines',
  functions: 'Longest functions, in lines',
  classes: 'Widest classes, in public methods',
  folders: 'Fullest folders, in files',
  entries: 'Widest entries, in exported names',
};

export function renderShape(shape: Shape, rows: number): string {
  const kinds: readonly (keyof Shape)[] = ['files', 'functions', 'classes', 'folders', 'entries'];
  return kinds
    .map((kind) => {
      const lines = shape[kind].slice(0, rows).map(({ name, size }) => `${String(size).padStart(6)}  ${name}\n`);
      return `${titles[kind]}\n${lines.join('')}`;
    })
    .join('\n');
}
