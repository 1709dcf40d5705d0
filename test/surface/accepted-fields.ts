/**
 * Fields that the studio accepts and nobody reads, found in its sources: an operation's handler names the fields of its input that it
 * uses, and hands on the rest. A field that it hands on is read by name somewhere below.
 */
import ts from 'typescript';
import { forEachNode } from '../architecture/syntax.js';

export interface Handler {
  /** Fields that are used by name. */
  readonly used: ReadonlySet<string>;
  /** Fields that are taken out and used nowhere. */
  readonly dropped: ReadonlySet<string>;
  /** Whether all other fields are handed on. */
  readonly handsOn: boolean;
}

/** Handlers of a module of operations, by export. */
export function handlersOf(file: ts.SourceFile): Map<string, Handler> {
  const found = new Map<string, Handler>();
  for (const statement of file.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (!ts.isIdentifier(name) || !initializer || !ts.isCallExpression(initializer)) continue;
      const { expression, arguments: given } = initializer;
      const isHandled = ts.isPropertyAccessExpression(expression) && ['run', 'follow'].includes(expression.name.text);
      const [handler] = given;
      if (isHandled && handler) found.set(name.text, handlerOf(handler));
    }
  }
  return found;
}

function handlerOf(handler: ts.Expression): Handler {
  if (!ts.isArrowFunction(handler)) return { used: new Set(), dropped: new Set(), handsOn: true };
  const [, input] = handler.parameters;
  if (!input) return { used: new Set(), dropped: new Set(), handsOn: false };
  return ts.isIdentifier(input.name) ? ofWhole(input.name.text, handler) : ofPattern(input.name, handler);
}

/** Input with a name: its fields are used by access, or taken out of it, or it is handed on. */
function ofWhole(name: string, within: ts.ArrowFunction): Handler {
  const used = new Set<string>();
  let handsOn = false;
  for (const place of placesOf(name, within.body)) {
    const { parent } = place;
    if (ts.isPropertyAccessExpression(parent)) used.add(parent.name.text);
    else if (ts.isVariableDeclaration(parent) && ts.isObjectBindingPattern(parent.name)) {
      const taken = ofPattern(parent.name, within);
      for (const field of taken.used) used.add(field);
      handsOn ||= taken.handsOn;
    } else handsOn = true;
  }
  return { used, dropped: new Set(), handsOn };
}

function ofPattern(pattern: ts.BindingPattern, within: ts.ArrowFunction): Handler {
  const [used, dropped] = [new Set<string>(), new Set<string>()];
  let handsOn = false;
  for (const element of pattern.elements) {
    if (!ts.isBindingElement(element) || !ts.isIdentifier(element.name)) continue;
    const local = element.name.text;
    if (element.dotDotDotToken) {
      const rest = ofWhole(local, within);
      for (const field of rest.used) used.add(field);
      handsOn = rest.handsOn;
      continue;
    }
    const field = element.propertyName && ts.isIdentifier(element.propertyName) ? element.propertyName.text : local;
    (placesOf(local, within).length > 1 ? used : dropped).add(field);
  }
  return { used, dropped, handsOn };
}

/** Places where a variable stands, its declaration included. */
function placesOf(name: string, within: ts.Node): ts.Identifier[] {
  const found: ts.Identifier[] = [];
  forEachNode(within, (node) => {
    if (ts.isIdentifier(node) && node.text === name && !isKey(node)) found.push(node);
  });
  return found;
}

/** Whether a name is that of a property, not of a variable. */
function isKey(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) || ts.isPropertyAssignment(parent)) return parent.name === node;
  return ts.isBindingElement(parent) && parent.propertyName === node;
}

/** Names of the properties that a file reads: by access, or by taking them out of an object. */
export function propertiesRead(file: ts.SourceFile): Set<string> {
  const read = new Set<string>();
  forEachNode(file, (node) => {
    if (ts.isPropertyAccessExpression(node)) read.add(node.name.text);
    if (!ts.isBindingElement(node) || !ts.isObjectBindingPattern(node.parent)) return;
    const name = node.propertyName ?? node.name;
    if (ts.isIdentifier(name)) read.add(name.text);
  });
  return read;
}

/** Modules behind the nouns of the table of operations, as the table imports them. */
export function modulesByNoun(table: ts.SourceFile): Map<string, string[]> {
  const imported = new Map<string, string>();
  const nouns = new Map<string, string[]>();
  const modulesIn = (node: ts.Node): string[] => {
    const found: string[] = [];
    forEachNode(node, (inner) => {
      const module = ts.isIdentifier(inner) ? imported.get(inner.text) : undefined;
      if (module !== undefined) found.push(module);
    });
    return found;
  };
  forEachNode(table, (node) => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      const bound = node.importClause?.namedBindings;
      if (bound && ts.isNamespaceImport(bound)) imported.set(bound.name.text, node.moduleSpecifier.text);
    }
    if (!ts.isCallExpression(node) || node.expression.getText() !== 'tableOf') return;
    const [given] = node.arguments;
    if (!given || !ts.isObjectLiteralExpression(given)) return;
    for (const row of given.properties) {
      if (ts.isShorthandPropertyAssignment(row)) nouns.set(row.name.text, modulesIn(row.name));
      else if (ts.isPropertyAssignment(row) && !ts.isComputedPropertyName(row.name))
        nouns.set(row.name.text, modulesIn(row.initializer));
    }
  });
  return nouns;
}
