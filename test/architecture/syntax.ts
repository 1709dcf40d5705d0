import ts from 'typescript';

const parsed = new Map<string, ts.SourceFile>();

/** Syntax tree of a source file. Several rules read the same file, so it is parsed once for as long as its text stays. */
export function parse(path: string, text: string): ts.SourceFile {
  const before = parsed.get(path);
  if (before?.text === text) return before;
  // No rule reads comments by their tags.
  const options = { languageVersion: ts.ScriptTarget.ES2023, jsDocParsingMode: ts.JSDocParsingMode.ParseNone };
  const source = ts.createSourceFile(path, text, options, true, kindOf(path));
  parsed.set(path, source);
  return source;
}

function kindOf(path: string): ts.ScriptKind {
  if (path.endsWith('x')) return ts.ScriptKind.TSX;
  return /js$/.test(path) ? ts.ScriptKind.JS : ts.ScriptKind.TS;
}

/** Every node of a tree, parents before children. */
export function forEachNode(root: ts.Node, visit: (node: ts.Node) => void): void {
  const enter = (node: ts.Node): void => {
    visit(node);
    ts.forEachChild(node, enter);
  };
  enter(root);
}
