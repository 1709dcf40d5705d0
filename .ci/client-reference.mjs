// Reference of @weft/client: one page for each entry of the package, from the types that it is published with and what their comments
// say, and an example of everything that has a value, from client/web/reference, which is compiled as users' code is.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from './workspace.mjs';

const home = join(root, 'client', 'web');
const { SymbolFlags, SyntaxKind } = ts;

export function clientReference() {
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  const entries = Object.entries(manifest.exports)
    .filter(([, target]) => target.import?.types)
    .map(([name, target]) => ({ name: name === '.' ? 'index' : name.slice(2), file: join(home, target.import.types) }));
  const program = ts.createProgram({
    rootNames: entries.map(({ file }) => file),
    options: {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2023,
      lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
      skipLibCheck: true,
    },
  });
  const reader = new Reader(program.getTypeChecker());
  const pages = entries.map((entry) => ({ ...entry, ...reader.read(program.getSourceFile(entry.file)) }));
  requireExamples(pages);
  const written = pages.map((page) => [`client/${page.name}.md`, pageOf(page)]);
  return { 'client.md': contents(pages), ...Object.fromEntries(written) };
}

/** What the types and their comments say. */
class Reader {
  #checker;
  /** Page on which a declaration stands that several entries export. */
  #pages = new Map();

  constructor(checker) {
    this.#checker = checker;
  }

  read(source) {
    const name = source.fileName.replace(/^.*\/(.*)\.d\.ts$/, '$1');
    const found = this.#checker.getExportsOfModule(this.#checker.getSymbolAtLocation(source));
    const items = found.map((exported) => {
      const symbol = exported.flags & SymbolFlags.Alias ? this.#checker.getAliasedSymbol(exported) : exported;
      const page = this.#pages.get(symbol) ?? name;
      this.#pages.set(symbol, page);
      return {
        name: exported.name,
        isValue: (symbol.flags & SymbolFlags.Value) !== 0 && !isTypeOnly(exported),
        page,
        said: this.#said(symbol),
        declared: symbol.declarations
          .filter(isPrinted)
          .map((one) => namedAs(exported.name, symbol.name, withoutComments(one))),
        members: symbol.declarations.flatMap(({ members = [] }) => members.flatMap((member) => this.#member(member))),
      };
    });
    return { said: leadOf(source), items };
  }

  #member(member) {
    const symbol = member.name && this.#checker.getSymbolAtLocation(member.name);
    const said = symbol ? this.#said(symbol) : '';
    return said === '' ? [] : [{ name: member.name.getText(), said }];
  }

  #said(symbol) {
    return onOneLine(ts.displayPartsToString(symbol.getDocumentationComment(this.#checker)));
  }
}

/** Exported by `export type`: there is nothing of that name at run time. */
function isTypeOnly(exported) {
  return exported.declarations.some(
    (one) => ts.isExportSpecifier(one) && (one.isTypeOnly || one.parent.parent.isTypeOnly),
  );
}

/** Where a declaration is one of several, its own text is what is left out. */
function isPrinted(declaration) {
  return declaration.getSourceFile().isDeclarationFile && declaration.kind !== SyntaxKind.ModuleDeclaration;
}

const printer = ts.createPrinter({ removeComments: true });

/** Text of a declaration as a user would write it: public members, no words about modules. */
function withoutComments(declaration) {
  const whole = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  const text = printer.printNode(ts.EmitHint.Unspecified, whole, whole.getSourceFile());
  return text
    .replace(/^export (?:declare )?|^declare /, '')
    .replace(/^\s*(?:#private|private .*);\n/gm, '')
    .replace(/import\("[^"]*"\)\./g, '')
    .replaceAll('    ', '  ');
}

/** A type that is exported under another name than it has where it was written. */
function namedAs(name, own, text) {
  return name === own ? text : text.replace(new RegExp(`\\b${own}\\b`), name);
}

/** Comment at the head of a module, which speaks of all of it. */
function leadOf(source) {
  const [first] = ts.getLeadingCommentRanges(source.text, 0) ?? [];
  const comment = first === undefined ? '' : source.text.slice(first.pos, first.end);
  const lines = comment.replace(/^\/\*\*|\*\/$/g, '').split('\n');
  return onOneLine(lines.map((line) => line.replace(/^\s*\* ?/, '')).join('\n'));
}

function onOneLine(text) {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => (/^ {2}/m.test(paragraph) ? paragraph : paragraph.replace(/\s*\n\s*/g, ' ').trim()))
    .join('\n\n')
    .replace(/ ?\[decision \d+\]/g, '')
    .trim();
}

/** Examples of an entry by what they show, and what all of them begin with. */
function examplesOf(entry) {
  const file = readdirSync(join(home, 'reference')).find((name) => name.replace(/\.tsx?$/, '') === entry);
  if (file === undefined) throw new Error(`client/web/reference has no examples of ${entry}`);
  const [lead = '', ...parts] = readFileSync(join(home, 'reference', file), 'utf8').split(/^\/\/ example: /m);
  return {
    language: file.endsWith('x') ? 'tsx' : 'ts',
    lead: lead.trim(),
    byName: new Map(
      parts.map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1).trim()]),
    ),
  };
}

function requireExamples(pages) {
  const silent = pages.flatMap(({ items }) => items.filter(({ said }) => said === '').map(({ name }) => name));
  if (silent.length > 0) throw new Error(`No comment says what these are: ${[...new Set(silent)].join(', ')}`);
  for (const page of pages) {
    page.examples = examplesOf(page.name);
    const wanted = page.items
      .filter(({ isValue, page: home }) => isValue && home === page.name)
      .map(({ name }) => name);
    const shown = [...page.examples.byName.keys()];
    const missing = wanted.filter((name) => !shown.includes(name));
    if (missing.length > 0)
      throw new Error(`client/web/reference/${page.name} has no example of ${missing.join(', ')}`);
    const known = new Set(page.items.map(({ name }) => name));
    const strange = shown.filter((name) => !known.has(name));
    if (strange.length > 0)
      throw new Error(`client/web/reference/${page.name}: nothing is called ${strange.join(', ')}`);
  }
}

const moduleOf = ({ name }) => (name === 'index' ? '@weft/client' : `@weft/client/${name}`);

function contents(pages) {
  const rows = pages.map((page) => `| [\`${moduleOf(page)}\`](client/${page.name}.md) | ${namesOf(page)} |`);
  return (
    [
      '# Reference of the client',
      'All that `@weft/client` exports, by entry. [The guide](../../client/web/README.md) says how it fits together.',
      ['| Import | What is there |', '| --- | --- |', ...rows].join('\n'),
      '',
    ]
      .join('\n\n')
      .trimEnd() + '\n'
  );
}

function namesOf({ name, items }) {
  const values = items.filter(({ isValue, page }) => isValue && page === name);
  return values.map((item) => `[\`${item.name}\`](client/${name}.md#${item.name.toLowerCase()})`).join(', ');
}

function pageOf(page) {
  const { name, said, items, examples } = page;
  const [own, others] = [items.filter((item) => item.page === name), items.filter((item) => item.page !== name)];
  const values = own.filter(({ isValue }) => isValue);
  const types = own.filter(({ isValue }) => !isValue);
  return [
    `# ${moduleOf(page)}`,
    said,
    `Examples begin with:\n\n\`\`\`${examples.language}\n${examples.lead}\n\`\`\``,
    ...[...values, ...types].map((item) => itemOf(item, examples)),
    others.length === 0
      ? ''
      : `## Also here\n\n${others.map((item) => `[\`${item.name}\`](${item.page}.md#${item.name.toLowerCase()})`).join(', ')}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

function itemOf({ name, said, declared, members }, { language, byName }) {
  const example = byName.get(name);
  return [
    `## ${name}`,
    said,
    `\`\`\`ts\n${declared.join('\n')}\n\`\`\``,
    members.map((member) => `- \`${member.name}\`: ${member.said.replaceAll('\n', ' ')}`).join('\n'),
    example === undefined ? '' : `\`\`\`${language}\n${example}\n\`\`\``,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
