import ts from 'typescript';
import { importTarget, importsOf, isBuiltin, packageOf } from './imports.js';
import type { Files } from './source-tree.js';
import { parse } from './syntax.js';

/** Packages that run unchanged in Node, Deno, Bun, browsers and workers. */
export const neutralPackages: readonly string[] = ['@noble/ed25519', '@noble/hashes', 'zod'];

/** Ties of `entry`, and of the files that it loads, to one runtime. Works on source and on built files alike. */
export function runtimeTies(entry: string, files: Files): string[] {
  const ties: string[] = [];
  const reached = new Set([entry]);
  for (const path of reached) {
    const text = files.get(path);
    if (text === undefined) {
      ties.push(`${path} is missing`);
      continue;
    }
    for (const found of importsOf(path, text)) {
      if (found.typeOnly) continue;
      const target = importTarget(path, found.specifier, files);
      if (target !== undefined) {
        if (!found.dynamic) reached.add(target);
      } else if (isBuiltin(found.specifier)) {
        ties.push(`${path} -> ${found.specifier} (Node built-in)`);
      } else if (!neutralPackages.includes(packageOf(found.specifier))) {
        ties.push(`${path} -> ${found.specifier} (not a neutral package)`);
      }
    }
    for (const name of nodeGlobals(path, text)) ties.push(`${path} uses ${name} (Node global)`);
  }
  return ties;
}

const onlyInNode = new Set([
  'Buffer',
  'process',
  '__dirname',
  '__filename',
  'setImmediate',
  'clearImmediate',
  'require',
]);

/** Globals of Node that a file uses by their bare names; neutral code asks for `globalThis.process`. */
function nodeGlobals(path: string, text: string): string[] {
  if (![...onlyInNode].some((name) => text.includes(name))) return [];
  const used = new Set<string>();
  const declared = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return;
    if (ts.isIdentifier(node) && onlyInNode.has(node.text)) {
      if (isDeclared(node)) declared.add(node.text);
      else if (!isMemberName(node)) used.add(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(parse(path, text));
  return [...used].filter((name) => !declared.has(name));
}

function isDeclared(node: ts.Identifier): boolean {
  const { parent } = node;
  return (
    (ts.isVariableDeclaration(parent) || ts.isParameter(parent) || ts.isBindingElement(parent)) && parent.name === node
  );
}

function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent)) return true;
  return (
    (ts.isPropertyAssignment(parent) ||
      ts.isMethodDeclaration(parent) ||
      ts.isPropertyDeclaration(parent) ||
      ts.isPropertySignature(parent) ||
      ts.isMethodSignature(parent) ||
      ts.isBindingElement(parent)) &&
    (parent.name === node || ('propertyName' in parent && parent.propertyName === node))
  );
}
