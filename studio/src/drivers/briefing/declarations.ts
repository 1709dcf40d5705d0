/** Declarations that a source file makes at its outer levels, found by the shape of its lines, as an outline needs them: fast, and of any tree. */

export interface Declaration {
  readonly name: string;
  /** Line, from 1. */
  readonly line: number;
  /** What is declared, in short. */
  readonly text: string;
}

interface Language {
  readonly extensions: readonly string[];
  /** Matches a line that declares something; its group is the name. */
  readonly shape: RegExp;
}

const NAME = '([A-Za-z_$][\\w$]*)';
const LANGUAGES: readonly Language[] = [
  {
    extensions: ['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs'],
    shape: new RegExp(
      `^(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:async )?(?:function\\*?|class|interface|type|enum|const|let|namespace) ${NAME}`,
    ),
  },
  { extensions: ['py', 'pyi'], shape: new RegExp(`^(?: {4})?(?:async )?(?:def|class) ${NAME}`) },
  { extensions: ['go'], shape: new RegExp(`^(?:func(?: \\([^)]*\\))?|type|var|const) ${NAME}`) },
  {
    extensions: ['rs'],
    shape: new RegExp(
      `^(?: {4})?(?:pub(?:\\([a-z]+\\))? )?(?:async )?(?:unsafe )?(?:fn|struct|enum|trait|type|mod) ${NAME}`,
    ),
  },
  {
    extensions: ['java', 'kt', 'cs', 'scala', 'swift'],
    shape: new RegExp(
      `^(?: {0,4}|\\t)(?:(?:public|protected|internal|open|abstract|final|static|sealed|data|override) )*(?:class|interface|enum|record|object|struct|trait|protocol|fun|func|def) ${NAME}`,
    ),
  },
  { extensions: ['rb'], shape: new RegExp(`^\\s{0,4}(?:def|class|module) (?:self\\.)?${NAME}`) },
  {
    extensions: ['php'],
    shape: new RegExp(`^\\s{0,4}(?:(?:public|final|abstract|static) )*(?:function|class|interface|trait) ${NAME}`),
  },
];
const byExtension = new Map(LANGUAGES.flatMap(({ extensions, shape }) => extensions.map((one) => [one, shape])));

const LONGEST_LINE = 400;
const LONGEST_TEXT = 100;

/** Whether outlines know the language of a file. */
export function isSource(path: string): boolean {
  return byExtension.has(extensionOf(path));
}

export function declarationsIn(path: string, text: string): Declaration[] {
  const shape = byExtension.get(extensionOf(path));
  if (!shape) return [];
  return text.split('\n').flatMap((row, index) => {
    // What is made by programs has lines without an end.
    const [, name] = row.length > LONGEST_LINE ? [] : (shape.exec(row) ?? []);
    return name === undefined ? [] : [{ name, line: index + 1, text: inShort(row) }];
  });
}

function extensionOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

/** Line without what opens or gives its value. */
function inShort(row: string): string {
  const said = row
    .trim()
    .replace(/^(?:export|public|pub) (?:default )?/, '')
    .replace(/\s*(?:=>?|[{:;])\s*$/, '')
    .replace(/ = .*$/, '');
  return said.length > LONGEST_TEXT ? `${said.slice(0, LONGEST_TEXT)}…` : said;
}
