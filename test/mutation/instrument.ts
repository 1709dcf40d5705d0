/**
 * A source with all its mutants in it: where one is on, `__mutant(id)` is true and another expression is taken than the one that
 * stands there. So a file is compiled and loaded once for all of them. `__mutant` counts its calls, also of those that loops make,
 * by which who runs it ends a mutant that has no end.
 *
 * A mutant that whatever notices another one notices too says nothing, and is not made: in `a && b` the mutants are `a`, `b` and, as a
 * condition, `false`; a comparison is `true`, `false` and, where it has one, moved by its boundary.
 */
import ts from 'typescript';

export interface Mutant {
  readonly id: number;
  /** Path from the root. */
  readonly file: string;
  readonly line: number;
  readonly from: string;
  readonly to: string;
}

/** What is asked of an expression: its value, whether it holds, that as a part of a greater condition, its items, or nothing. */
type Asked = 'value' | 'condition' | 'part' | 'items' | 'nothing';

const { SyntaxKind } = ts;

/** Neighbours of a comparison by its boundary. */
const MOVED = new Map<ts.SyntaxKind, string>([
  [SyntaxKind.LessThanToken, '<='],
  [SyntaxKind.LessThanEqualsToken, '<'],
  [SyntaxKind.GreaterThanToken, '>='],
  [SyntaxKind.GreaterThanEqualsToken, '>'],
]);
const EQUALITIES: readonly ts.SyntaxKind[] = [
  SyntaxKind.EqualsEqualsEqualsToken,
  SyntaxKind.ExclamationEqualsEqualsToken,
  SyntaxKind.EqualsEqualsToken,
  SyntaxKind.ExclamationEqualsToken,
];
const LOGICAL: readonly ts.SyntaxKind[] = [
  SyntaxKind.AmpersandAmpersandToken,
  SyntaxKind.BarBarToken,
  SyntaxKind.QuestionQuestionToken,
];
const OTHER_OPERATOR = new Map<ts.SyntaxKind, string>([
  [SyntaxKind.PlusToken, '-'],
  [SyntaxKind.MinusToken, '+'],
  [SyntaxKind.AsteriskToken, '/'],
  [SyntaxKind.SlashToken, '*'],
  [SyntaxKind.PercentToken, '*'],
  [SyntaxKind.AmpersandToken, '|'],
  [SyntaxKind.BarToken, '&'],
  [SyntaxKind.CaretToken, '&'],
  [SyntaxKind.LessThanLessThanToken, '>>'],
  [SyntaxKind.GreaterThanGreaterThanToken, '<<'],
  [SyntaxKind.GreaterThanGreaterThanGreaterThanToken, '<<'],
]);
const OTHER_ASSIGNMENT = new Map<ts.SyntaxKind, string>([
  [SyntaxKind.PlusEqualsToken, '-='],
  [SyntaxKind.MinusEqualsToken, '+='],
  [SyntaxKind.AsteriskEqualsToken, '/='],
  [SyntaxKind.SlashEqualsToken, '*='],
  [SyntaxKind.AmpersandEqualsToken, '|='],
  [SyntaxKind.BarEqualsToken, '&='],
  [SyntaxKind.CaretEqualsToken, '&='],
  [SyntaxKind.QuestionQuestionEqualsToken, '='],
  [SyntaxKind.BarBarEqualsToken, '='],
]);
const OTHER_METHOD = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['min', 'max'],
  ['max', 'min'],
  ['find', 'findLast'],
  ['findLast', 'find'],
]);
/** Methods whose object is of the kind of their answer. */
const LEFT_OUT = new Set([
  'filter',
  'sort',
  'toSorted',
  'reverse',
  'toReversed',
  'slice',
  'subarray',
  'trim',
  'toLowerCase',
]);

export function instrument(file: string, source: string, first: number): { code: string; mutants: Mutant[] } {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.ESNext, true);
  const instrumenter = new Instrumenter(tree, file, first);
  const code = instrumenter.text(tree, 0);
  return { code: `const __mutant = globalThis.__mutant ?? (() => false); ${code}`, mutants: instrumenter.mutants };
}

class Instrumenter {
  readonly mutants: Mutant[] = [];
  readonly #tree: ts.SourceFile;
  readonly #file: string;
  readonly #first: number;

  constructor(tree: ts.SourceFile, file: string, first: number) {
    this.#tree = tree;
    this.#file = file;
    this.#first = first;
  }

  /** Text of a node with what is changed within; from `start` on, where what stands before the node belongs to it. */
  text(node: ts.Node, start = node.getStart(this.#tree)): string {
    let [text, done] = ['', start];
    node.forEachChild((child) => {
      const changed = this.#changed(child, node);
      if (changed === undefined) return;
      const from = child.getStart(this.#tree);
      text += this.#tree.text.slice(done, from) + changed;
      done = child.end;
    });
    return text + this.#tree.text.slice(done, node.end);
  }

  /** Undefined for what stays as it is. */
  #changed(node: ts.Node, parent: ts.Node): string | undefined {
    if (staysAsItIs(node, parent)) return undefined;
    if (ts.isBlock(node) && isBodyOf(node, parent)) return this.#body(node, parent);
    if (ts.isIterationStatement(parent, false) && node === parent.statement) return this.#loopBody(node);
    if (ts.isShorthandPropertyAssignment(node) || !ts.isExpression(node)) return this.text(node);
    return this.#expression(node, askedOf(node, parent));
  }

  #expression(node: ts.Expression, asked: Asked): string {
    if (ts.isParenthesizedExpression(node)) return `(${this.#expression(node.expression, asked)})`;
    const others = this.#others(node, asked).map((to) => `__mutant(${this.#add(node, to)}) ? (${to}) : `);
    const same = this.#inner(node, asked);
    return others.length === 0 ? same : `(${others.join('')}(${same}))`;
  }

  #inner(node: ts.Expression, asked: Asked): string {
    if (ts.isBinaryExpression(node) && LOGICAL.includes(node.operatorToken.kind)) {
      const isWhole = asked === 'condition' || asked === 'part';
      const isNullish = node.operatorToken.kind === SyntaxKind.QuestionQuestionToken;
      const left = this.#expression(node.left, isNullish ? 'value' : 'part');
      return `${left} ${node.operatorToken.getText()} ${this.#expression(node.right, isWhole ? 'part' : 'value')}`;
    }
    return ts.isOptionalChain(node) ? this.#chain(node) : this.text(node);
  }

  /** A chain ends where its first link is missing, so a link of it cannot be put in brackets; what stands beside the links can. */
  #chain(node: ts.Node): string {
    let [text, done] = ['', node.getStart(this.#tree)];
    node.forEachChild((child) => {
      const isLink =
        'expression' in node &&
        child === node.expression &&
        (ts.isOptionalChain(child) || ts.isNonNullExpression(child));
      const changed = isLink ? this.#chain(child) : this.#changed(child, node);
      if (changed === undefined) return;
      text += this.#tree.text.slice(done, child.getStart(this.#tree)) + changed;
      done = child.end;
    });
    return text + this.#tree.text.slice(done, node.end);
  }

  #body(block: ts.Block, parent: ts.Node): string {
    const isLeft = block.statements.length > 0 && !ts.isConstructorDeclaration(parent);
    const start = isLeft ? `if (__mutant(${this.#add(block, '{}')})) return; ` : '';
    return `{ ${start}${this.text(block).slice(1)}`;
  }

  #loopBody(node: ts.Node): string {
    return ts.isBlock(node) ? `{ __mutant(-1); ${this.text(node).slice(1)}` : `{ __mutant(-1); ${this.text(node)} }`;
  }

  #add(node: ts.Node, to: string): number {
    const start = node.getStart(this.#tree);
    const { line } = this.#tree.getLineAndCharacterOfPosition(start);
    const id = this.#first + this.mutants.length;
    this.mutants.push({ id, file: this.#file, line: line + 1, from: short(node.getText(this.#tree)), to: short(to) });
    return id;
  }

  /** What may stand in place of an expression. */
  #others(node: ts.Expression, asked: Asked): string[] {
    if (asked === 'nothing') return isAct(node) ? ['undefined'] : [];
    if (asked === 'items') return ['[]'];
    if (ts.isBinaryExpression(node)) return ofBinary(node, asked, this.#tree);
    if (asked === 'condition') return ['true', 'false'];
    if (asked === 'part') return [];
    if (node.kind === SyntaxKind.TrueKeyword) return ['false'];
    if (node.kind === SyntaxKind.FalseKeyword) return ['true'];
    if (ts.isPrefixUnaryExpression(node)) return ofUnary(node, this.#tree);
    if (ts.isPostfixUnaryExpression(node)) return [otherStep(node.getText(this.#tree))];
    if (ts.isStringLiteralLike(node)) return isForPeople(node.text) ? [] : [node.text === '' ? "'mutant'" : "''"];
    if (ts.isTemplateExpression(node)) return isForPeople(node.getText(this.#tree)) ? [] : ["''"];
    if (ts.isArrayLiteralExpression(node)) return node.elements.length > 0 ? ['[]'] : [];
    const unchained = isWholeChain(node) ? withoutChains(node, this.#tree) : [];
    return ts.isCallExpression(node) ? [...unchained, ...ofCall(node, this.#tree)] : unchained;
  }
}

function staysAsItIs(node: ts.Node, parent: ts.Node): boolean {
  if (ts.isTypeNode(node) || ts.isTypeParameterDeclaration(node) || ts.isImportDeclaration(node)) return true;
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isHeritageClause(node)) return true;
  if (ts.isIdentifier(node)) return !['condition', 'items'].includes(askedOf(node, parent));
  if (ts.isPrivateIdentifier(node) || ts.isModuleDeclaration(node)) return true;
  if (
    ts.isExportDeclaration(node) ||
    ts.isComputedPropertyName(node) ||
    (ts.isPropertyName(node) && isNamed(parent, node))
  )
    return true;
  if (ts.isBinaryExpression(parent) && node === parent.left && isAssigned(parent.operatorToken.kind)) return true;
  if (ts.isForStatement(parent) && node === parent.incrementor) return true;
  if (ts.isStringLiteralLike(node) && ts.isBinaryExpression(parent) && isTest(parent.operatorToken.kind)) return true;
  if (ts.isForOfStatement(parent) || ts.isForInStatement(parent)) if (node === parent.initializer) return true;
  if (ts.isDeleteExpression(parent) || ts.isTaggedTemplateExpression(parent)) return true;
  if (ts.isPrefixUnaryExpression(parent) || ts.isPostfixUnaryExpression(parent)) {
    if (parent.operator === SyntaxKind.PlusPlusToken || parent.operator === SyntaxKind.MinusMinusToken) return true;
  }
  return false;
}

const isNamed = (parent: ts.Node, node: ts.Node): boolean => 'name' in parent && parent.name === node;

const isAssigned = (kind: ts.SyntaxKind): boolean =>
  kind >= SyntaxKind.FirstAssignment && kind <= SyntaxKind.LastAssignment;

const isTest = (kind: ts.SyntaxKind): boolean => EQUALITIES.includes(kind) || kind === SyntaxKind.InKeyword;

const isBodyOf = (node: ts.Node, parent: ts.Node): boolean =>
  ts.isFunctionLike(parent) && 'body' in parent && parent.body === node;

function askedOf(node: ts.Node, parent: ts.Node): Asked {
  if (ts.isExpressionStatement(parent)) return 'nothing';
  if (ts.isForOfStatement(parent) && node === parent.expression) return 'items';
  if (ts.isIfStatement(parent) || ts.isWhileStatement(parent) || ts.isDoStatement(parent)) return 'condition';
  if ((ts.isForStatement(parent) || ts.isConditionalExpression(parent)) && node === parent.condition)
    return 'condition';
  if (ts.isPrefixUnaryExpression(parent) && parent.operator === SyntaxKind.ExclamationToken) return 'part';
  return 'value';
}

/** Whether something is done by it; calls of `super` have to be made. */
function isAct(node: ts.Expression): boolean {
  if (ts.isCallExpression(node)) return node.expression.kind !== SyntaxKind.SuperKeyword;
  return (
    (ts.isBinaryExpression(node) && isAssigned(node.operatorToken.kind)) ||
    ts.isPostfixUnaryExpression(node) ||
    ts.isPrefixUnaryExpression(node) ||
    ts.isAwaitExpression(node) ||
    ts.isDeleteExpression(node) ||
    ts.isYieldExpression(node)
  );
}

function ofBinary(node: ts.BinaryExpression, asked: Asked, tree: ts.SourceFile): string[] {
  const [left, right] = [node.left.getText(tree), node.right.getText(tree)];
  const { kind } = node.operatorToken;
  if (LOGICAL.includes(kind)) {
    if (asked !== 'condition') return [left, right];
    return [left, right, String(kind === SyntaxKind.BarBarToken)];
  }
  const moved = MOVED.get(kind);
  if (moved !== undefined || EQUALITIES.includes(kind)) {
    const boundary = moved === undefined ? [] : [`${left} ${moved} ${right}`];
    return asked === 'part' ? boundary : ['true', 'false', ...boundary];
  }
  if (asked === 'condition') return ['true', 'false'];
  if (kind === SyntaxKind.PlusToken && [node.left, node.right].some(isText)) return [];
  const other = OTHER_OPERATOR.get(kind) ?? OTHER_ASSIGNMENT.get(kind);
  return other === undefined ? [] : [`${left} ${other} ${right}`];
}

const isText = (node: ts.Node): boolean => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

function ofUnary(node: ts.PrefixUnaryExpression, tree: ts.SourceFile): string[] {
  const text = node.getText(tree);
  if (node.operator === SyntaxKind.PlusPlusToken || node.operator === SyntaxKind.MinusMinusToken)
    return [otherStep(text)];
  return node.operator === SyntaxKind.PlusToken ? [] : [node.operand.getText(tree)];
}

const otherStep = (text: string): string => (text.includes('++') ? text.replace('++', '--') : text.replace('--', '++'));

/** Words for people are theirs to change: a test of the exact words would have to change with them. */
const isForPeople = (text: string): boolean => /\p{L}.* |  *.*\p{L}/su.test(text);

function ofCall(node: ts.CallExpression, tree: ts.SourceFile): string[] {
  const callee = node.expression;
  if (!ts.isPropertyAccessExpression(callee) || ts.isOptionalChain(node)) return [];
  const [name, object] = [callee.name.text, callee.expression.getText(tree)];
  if (LEFT_OUT.has(name)) return [object];
  if ((name === 'min' || name === 'max') && object !== 'Math') return [];
  const other = OTHER_METHOD.get(name);
  return other === undefined ? [] : [`${object}.${other}${tree.text.slice(callee.end, node.end)}`];
}

const isWholeChain = (node: ts.Node): boolean =>
  ts.isOptionalChain(node) && !(ts.isOptionalChain(node.parent) && node.parent.expression === node);

/** Links of a chain that may be missing, one after the other as ones that may not. */
function withoutChains(node: ts.Expression, tree: ts.SourceFile): string[] {
  const start = node.getStart(tree);
  const found: string[] = [];
  for (let link: ts.Node = node; ts.isOptionalChain(link); link = link.expression) {
    const token = ts.isNonNullChain(link) ? undefined : link.questionDotToken;
    if (!token) continue;
    const before = tree.text.slice(start, token.getStart(tree));
    found.push(before + (ts.isPropertyAccessExpression(link) ? '.' : '') + tree.text.slice(token.end, node.end));
  }
  return found;
}

const short = (text: string): string => text.replace(/\s+/g, ' ');
