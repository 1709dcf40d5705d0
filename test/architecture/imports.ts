import { posix } from 'node:path';
import ts from 'typescript';
import type { Files } from './source-tree.js';

export interface Import {
  readonly specifier: string;
  /** Gone after compilation: `import type`, or every imported name marked `type`. */
  readonly typeOnly: boolean;
  readonly dynamic: boolean;
  /** Names whose values a static import or re-export takes; `*` for a namespace. */
  readonly names: readonly string[];
}

/** `parents` are set only for who asks: that is a walk of its own. */
export function parse(path: string, text: string, parents: 'parents' | 'no parents'): ts.SourceFile {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : /js$/.test(path) ? ts.ScriptKind.JS : ts.ScriptKind.TS;
  const options = { languageVersion: ts.ScriptTarget.ES2023, jsDocParsingMode: ts.JSDocParsingMode.ParseNone };
  return ts.createSourceFile(path, text, options, parents === 'parents', kind);
}

/** What may be an import below the top of a file: a call, or the type of a module. */
const deepImport = /\b(?:import|require)\s*[(/?]/;

export function importsOf(path: string, text: string): Import[] {
  const found: Import[] = [];
  const visit = (node: ts.Node): void => {
    const one = asImport(node);
    if (one !== undefined) found.push(one);
    ts.forEachChild(node, look);
  };
  const isDeep = deepImport.test(text);
  const look = isDeep ? visit : (): void => undefined;
  ts.forEachChild(parse(path, text, 'no parents'), visit);
  return found;
}

function asImport(node: ts.Node): Import | undefined {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    const { importClause: clause, moduleSpecifier } = node;
    const named = clause?.namedBindings;
    const elements = named !== undefined && ts.isNamedImports(named) ? named.elements : undefined;
    const names = [
      ...(clause?.name === undefined ? [] : ['default']),
      ...(elements === undefined ? (named === undefined ? [] : ['*']) : valueNames(elements)),
    ];
    const typeOnly = clause?.isTypeOnly === true || (clause?.name === undefined && allTypes(elements));
    return { specifier: moduleSpecifier.text, typeOnly, dynamic: false, names };
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined && ts.isStringLiteral(node.moduleSpecifier)) {
    const clause = node.exportClause;
    const elements = clause !== undefined && ts.isNamedExports(clause) ? clause.elements : undefined;
    const typeOnly = node.isTypeOnly || allTypes(elements);
    const names = elements === undefined ? ['*'] : valueNames(elements);
    return { specifier: node.moduleSpecifier.text, typeOnly, dynamic: false, names };
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal)) {
    return { specifier: node.argument.literal.text, typeOnly: true, dynamic: false, names: ['*'] };
  }
  if (
    ts.isCallExpression(node) &&
    (node.expression.kind === ts.SyntaxKind.ImportKeyword || isRequire(node.expression))
  ) {
    const [argument] = node.arguments;
    if (argument !== undefined && ts.isStringLiteralLike(argument)) {
      return { specifier: argument.text, typeOnly: false, dynamic: true, names: ['*'] };
    }
  }
  return undefined;
}

function valueNames(elements: readonly (ts.ImportSpecifier | ts.ExportSpecifier)[]): string[] {
  return elements
    .filter((element) => !element.isTypeOnly)
    .map((element) => (element.propertyName ?? element.name).text);
}

function allTypes(elements: readonly (ts.ImportSpecifier | ts.ExportSpecifier)[] | undefined): boolean {
  return elements !== undefined && elements.length > 0 && elements.every((element) => element.isTypeOnly);
}

function isRequire(expression: ts.Expression): boolean {
  return ts.isIdentifier(expression) && expression.text === 'require';
}

/** The file that a relative specifier names (`./x.js` is `./x.ts` in source), or its plain path when there is none. */
export function resolveRelative(from: string, specifier: string, files: Files): string {
  const plain = posix.join(posix.dirname(from), specifier);
  const candidates = [plain.replace(/\.js$/, '.ts'), plain.replace(/\.jsx?$/, '.tsx'), plain];
  return candidates.find((candidate) => files.has(candidate)) ?? candidates[0] ?? plain;
}

export function isRelative(specifier: string): boolean {
  return specifier.startsWith('.');
}

/** `@scope/name/sub` -> `@scope/name`, `name/sub` -> `name`. */
export function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
