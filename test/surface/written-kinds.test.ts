/**
 * Kinds of events that people may wait for are written: each is made by an aggregate, and each decision of one is run by the product. Both
 * are read from the syntax of the sources, so a new one is looked for too.
 */
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { isTest, readTree } from '../architecture/source-tree.js';
import { parse } from '../architecture/syntax.js';

const AGGREGATES = 'studio/src/record/aggregates/';

const files = readTree();
const sources = [...files.keys()].filter(
  (path) => /^studio\/src\/.*\.ts$/.test(path) && !isTest(path) && !path.startsWith('studio/src/testing/'),
);
const aggregates = sources.filter((path) => path.startsWith(AGGREGATES));

function each(paths: readonly string[], visit: (node: ts.Node) => void): void {
  const walk = (node: ts.Node): void => {
    visit(node);
    ts.forEachChild(node, walk);
  };
  for (const path of paths) walk(parse(path, files.get(path)!));
}

/** Kinds that schemas declare, and all other texts but those that are only compared. */
function kindsAndTexts(): { kinds: Set<string>; made: Set<string> } {
  const [kinds, made] = [new Set<string>(), new Set<string>()];
  each(aggregates, (node) => {
    if (!ts.isStringLiteral(node)) return;
    const { parent, text } = node;
    const isSchema = ts.isCallExpression(parent) && parent.expression.getText() === 'z.literal';
    const isKind = isSchema && ts.isPropertyAssignment(parent.parent) && parent.parent.name.getText() === 'type';
    if (isKind) kinds.add(text);
    else if (!isSchema && !ts.isCaseClause(parent) && !isCompared(node) && !ts.isLiteralTypeNode(parent))
      made.add(text);
  });
  return { kinds, made };
}

function isCompared({ parent }: ts.Node): boolean {
  return ts.isBinaryExpression(parent) && /^[!=]==$/.test(parent.operatorToken.getText());
}

/** Names of the decisions of each aggregate, with the file that declares it. */
function decisions(): { path: string; name: string }[] {
  const found: { path: string; name: string }[] = [];
  for (const path of aggregates)
    each([path], (node) => {
      if (!ts.isPropertyAssignment(node) || node.name.getText() !== 'decide') return;
      if (!ts.isObjectLiteralExpression(node.initializer)) throw new Error(`${path} declares its decisions elsewhere`);
      for (const { name } of node.initializer.properties) if (name) found.push({ path, name: name.getText() });
    });
  return found;
}

/** Aggregates by the file that exports them. */
function variables(): Map<string, string> {
  const found = new Map<string, string>();
  for (const path of aggregates)
    each([path], (node) => {
      if (ts.isVariableDeclaration(node)) found.set(node.name.getText(), path);
    });
  return found;
}

/** `path decision` for each that the product runs; without the path where a variable stands for several aggregates. */
function decisionsRun(): Set<string> {
  const [run, known] = [new Set<string>(), variables()];
  const callers = sources.filter((path) => /\.(run|end)\(/.test(files.get(path)!));
  each(callers, (node) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
    const [of, , decision] = node.arguments;
    if (!['run', 'end'].includes(node.expression.name.text) || !of || !decision) return;
    for (const text of textsIn(decision)) run.add(`${known.get(of.getText()) ?? ''} ${text}`);
  });
  return run;
}

function textsIn(node: ts.Node): string[] {
  const found: string[] = [];
  const walk = (one: ts.Node): void => {
    if (ts.isStringLiteral(one)) found.push(one.text);
    ts.forEachChild(one, walk);
  };
  walk(node);
  return found;
}

describe('kinds of events', () => {
  it('are each made by an aggregate', () => {
    const { kinds, made } = kindsAndTexts();
    expect(kinds.size).toBeGreaterThan(140);
    expect([...kinds].filter((kind) => !made.has(kind))).toEqual([]);
  });

  it('come of decisions that the product runs', () => {
    const [all, run] = [decisions(), decisionsRun()];
    expect(all.length).toBeGreaterThan(120);
    expect(all.filter(({ path, name }) => !run.has(`${path} ${name}`) && !run.has(` ${name}`))).toEqual([]);
  });
});
