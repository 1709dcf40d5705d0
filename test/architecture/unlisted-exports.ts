import ts from 'typescript';
import { parse } from './syntax.js';
import { type Files, isSource } from './source-tree.js';

/** Places that export what a reader does not find by its name: everything of another file, or something as the default. */
export function unlistedExports(files: Files): string[] {
  const found: string[] = [];
  for (const [path, text] of files) {
    if (!isSource(path) || path.endsWith('.config.ts')) continue;
    const source = parse(path, text);
    const report = (node: ts.Node, what: string): void => {
      found.push(`${path}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1} ${what}`);
    };
    for (const statement of source.statements) {
      if (ts.isExportAssignment(statement)) report(statement, 'export default');
      if (!ts.isExportDeclaration(statement)) continue;
      const clause = statement.exportClause;
      if (clause === undefined) report(statement, 'export *');
      else if (ts.isNamedExports(clause) && clause.elements.some(({ name }) => name.text === 'default'))
        report(statement, 'as default');
    }
  }
  return found;
}
