import ts from 'typescript';
import { type Files, isProduct } from './source-tree.js';
import { forEachNode, parse } from './syntax.js';

const directives = /@ts-(ignore|expect-error|nocheck)|(eslint|oxlint)-disable/;

/** Places of product code where the compiler or the linter was told to look away. */
export function untypedEdges(files: Files): string[] {
  const found: string[] = [];
  for (const [path, text] of files) {
    if (!isProduct(path)) continue;
    if (/\bany\b/.test(text)) found.push(...anyTypes(path, text));
    for (const [index, line] of text.split('\n').entries()) {
      const directive = directives.exec(line)?.[0];
      if (directive !== undefined) found.push(`${path}:${index + 1} ${directive}`);
    }
  }
  return found;
}

function anyTypes(path: string, text: string): string[] {
  const found: string[] = [];
  const source = parse(path, text);
  forEachNode(source, (node) => {
    if (node.kind !== ts.SyntaxKind.AnyKeyword) return;
    found.push(`${path}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1} any`);
  });
  return found;
}
