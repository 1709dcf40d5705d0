/** Problems of the suite: a function that is wrong or missing, in each language that has one, and calls that tell right from wrong. */
import type { Example, Language } from './languages.js';

/** Code of a function, and the part of it that is wrong, with what it should be. */
export interface Wrong {
  readonly code: string;
  readonly old: string;
  readonly now: string;
}

export interface Problem {
  readonly module: string;
  readonly fn: Readonly<Record<string, string>>;
  readonly goal: string;
  /** Calls that the present tests make and that pass. */
  readonly seen: readonly Example[];
  /** Calls that show the fault. */
  readonly shows: readonly Example[];
  /** Calls of the hidden tests, besides both. */
  readonly more: readonly Example[];
  readonly wrong: Readonly<Partial<Record<Language['name'], Wrong>>>;
}

const both = (js: string, python: string) => ({
  js,
  ts: js,
  python,
  go: `${js.slice(0, 1).toUpperCase()}${js.slice(1)}`,
});

const WRITTEN: readonly Problem[] = [
  {
    module: 'pages',
    fn: both('pageCount', 'page_count'),
    goal: 'The last page is missing when items do not fill it: 11 items at 5 a page are 3 pages, not 2.',
    seen: [[[10, 5], 2]],
    shows: [[[11, 5], 3]],
    more: [
      [[0, 5], 0],
      [[1, 5], 1],
      [[14, 5], 3],
    ],
    wrong: {
      js: {
        code: 'export function pageCount(items, size) {\n  return Math.floor(items / size);\n}\n',
        old: 'Math.floor(items / size)',
        now: 'Math.ceil(items / size)',
      },
      python: {
        code: 'def page_count(items, size):\n    return items // size\n',
        old: 'return items // size',
        now: 'return -(-items // size)',
      },
      go: {
        code: 'package core\n\nfunc PageCount(items, size int) int {\n\treturn items / size\n}\n',
        old: 'return items / size',
        now: 'return (items + size - 1) / size',
      },
    },
  },
  {
    module: 'stats',
    fn: both('mean', 'mean'),
    goal: 'The mean of no numbers should be 0. Today it is not a number, or an error.',
    seen: [[[[2, 4]], 3]],
    shows: [[[[]], 0]],
    more: [
      [[[5]], 5],
      [[[-1, 1]], 0],
    ],
    wrong: {
      js: {
        code: 'export function mean(numbers) {\n  const sum = numbers.reduce((a, b) => a + b, 0);\n  return sum / numbers.length;\n}\n',
        old: '  return sum / numbers.length;',
        now: '  return numbers.length === 0 ? 0 : sum / numbers.length;',
      },
      python: {
        code: 'def mean(numbers):\n    total = sum(numbers)\n    return total / len(numbers)\n',
        old: '    return total / len(numbers)',
        now: '    return total / len(numbers) if numbers else 0',
      },
    },
  },
  {
    module: 'slug',
    fn: both('slugify', 'slugify'),
    goal: 'Slugs must have no two dashes in a row and none at their ends: "Hello,  world!" is hello-world.',
    seen: [[['one two'], 'one-two']],
    shows: [[['Hello,  world!'], 'hello-world']],
    more: [
      [['  a  '], 'a'],
      [['A--B'], 'a-b'],
      [['!!!'], ''],
    ],
    wrong: {
      js: {
        code: "export function slugify(title) {\n  return title.toLowerCase().replace(/[^a-z0-9]/g, '-');\n}\n",
        old: "replace(/[^a-z0-9]/g, '-')",
        now: "replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')",
      },
      python: {
        code: "import re\n\n\ndef slugify(title):\n    return re.sub(r'[^a-z0-9]', '-', title.lower())\n",
        old: "re.sub(r'[^a-z0-9]', '-', title.lower())",
        now: "re.sub(r'[^a-z0-9]+', '-', title.lower()).strip('-')",
      },
    },
  },
  {
    module: 'ranges',
    fn: both('overlaps', 'overlaps'),
    goal: 'Ranges that only touch do not overlap: 1 to 3 and 3 to 5 have nothing in common.',
    seen: [[[1, 4, 3, 5], true]],
    shows: [[[1, 3, 3, 5], false]],
    more: [
      [[3, 5, 1, 3], false],
      [[1, 9, 3, 4], true],
      [[1, 2, 5, 6], false],
    ],
    wrong: {
      js: {
        code: 'export function overlaps(a, b, c, d) {\n  return a <= d && c <= b;\n}\n',
        old: 'a <= d && c <= b',
        now: 'a < d && c < b',
      },
      python: {
        code: 'def overlaps(a, b, c, d):\n    return a <= d and c <= b\n',
        old: 'a <= d and c <= b',
        now: 'a < d and c < b',
      },
      go: {
        code: 'package core\n\nfunc Overlaps(a, b, c, d int) bool {\n\treturn a <= d && c <= b\n}\n',
        old: 'a <= d && c <= b',
        now: 'a < d && c < b',
      },
    },
  },
  {
    module: 'money',
    fn: both('split', 'split'),
    goal: 'Splitting an amount must lose no cent: 100 cents among 3 are 34, 33 and 33.',
    seen: [
      [
        [90, 3],
        [30, 30, 30],
      ],
    ],
    shows: [
      [
        [100, 3],
        [34, 33, 33],
      ],
    ],
    more: [
      [
        [5, 4],
        [2, 1, 1, 1],
      ],
      [
        [0, 2],
        [0, 0],
      ],
    ],
    wrong: {
      js: {
        code: 'export function split(cents, people) {\n  const each = Math.floor(cents / people);\n  return Array.from({ length: people }, () => each);\n}\n',
        old: '  return Array.from({ length: people }, () => each);',
        now: '  return Array.from({ length: people }, (_, n) => each + (n < cents % people ? 1 : 0));',
      },
      python: {
        code: 'def split(cents, people):\n    each = cents // people\n    return [each] * people\n',
        old: '    return [each] * people',
        now: '    return [each + (1 if n < cents % people else 0) for n in range(people)]',
      },
      go: {
        code: 'package core\n\nfunc Split(cents, people int) []int {\n\tparts := make([]int, people)\n\tfor n := range parts {\n\t\tparts[n] = cents / people\n\t}\n\treturn parts\n}\n',
        old: 'parts[n] = cents / people',
        now: 'parts[n] = (cents + people - 1 - n) / people',
      },
    },
  },
  {
    module: 'words',
    fn: both('capitalize', 'capitalize'),
    goal: 'Words with an apostrophe keep their small letters: "don\'t stop" is "Don\'t Stop", not "Don\'T Stop".',
    seen: [[['one two'], 'One Two']],
    shows: [[["don't stop"], "Don't Stop"]],
    more: [
      [[''], ''],
      [['a b'], 'A B'],
    ],
    wrong: {
      js: {
        code: 'export function capitalize(text) {\n  return text.replace(/\\b[a-z]/g, (letter) => letter.toUpperCase());\n}\n',
        old: '/\\b[a-z]/g',
        now: "/(?<![\\w'])[a-z]/g",
      },
      python: {
        code: 'def capitalize(text):\n    return text.title()\n',
        old: '    return text.title()',
        now: "    return ' '.join(word[:1].upper() + word[1:] for word in text.split(' '))",
      },
    },
  },
  {
    module: 'version',
    fn: both('isNewer', 'is_newer'),
    goal: 'Versions are compared by their numbers: 1.10 is newer than 1.9.',
    seen: [[['1.2', '1.1'], true]],
    shows: [[['1.10', '1.9'], true]],
    more: [
      [['1.9', '1.10'], false],
      [['2.0', '1.99'], true],
      [['1.0', '1.0'], false],
    ],
    wrong: {
      js: {
        code: 'export function isNewer(one, other) {\n  return one > other;\n}\n',
        old: '  return one > other;',
        now: "  const [a, b] = [one, other].map((text) => text.split('.').map(Number));\n  const at = a.findIndex((part, index) => part !== (b[index] ?? 0));\n  return at >= 0 && a[at] > (b[at] ?? 0);",
      },
      python: {
        code: 'def is_newer(one, other):\n    return one > other\n',
        old: '    return one > other',
        now: "    return [int(part) for part in one.split('.')] > [int(part) for part in other.split('.')]",
      },
      go: {
        code: 'package core\n\nimport "strings"\n\nfunc IsNewer(one, other string) bool {\n\ta, b := strings.Split(one, "."), strings.Split(other, ".")\n\tfor n := range a {\n\t\tif n >= len(b) || a[n] != b[n] {\n\t\t\treturn n >= len(b) || a[n] > b[n]\n\t\t}\n\t}\n\treturn false\n}\n',
        old: 'return n >= len(b) || a[n] > b[n]',
        now: 'return n >= len(b) || len(a[n]) > len(b[n]) || len(a[n]) == len(b[n]) && a[n] > b[n]',
      },
    },
  },
  {
    module: 'lines',
    fn: both('lastLine', 'last_line'),
    goal: 'A line break at the end of a text begins no line: the last line of "a", break, "b", break is b.',
    seen: [[['a\nb'], 'b']],
    shows: [[['a\nb\n'], 'b']],
    more: [
      [[''], ''],
      [['a'], 'a'],
    ],
    wrong: {
      js: {
        code: "export function lastLine(text) {\n  return text.split('\\n').at(-1);\n}\n",
        old: "text.split('\\n').at(-1)",
        now: "text.replace(/\\n$/, '').split('\\n').at(-1)",
      },
      python: {
        code: "def last_line(text):\n    return text.split('\\n')[-1]\n",
        old: "text.split('\\n')[-1]",
        now: "text.removesuffix('\\n').split('\\n')[-1]",
      },
    },
  },
  {
    module: 'grade',
    fn: both('grade', 'grade'),
    goal: 'With 90 points and more the grade is A; 90 itself gets B today.',
    seen: [
      [[95], 'A'],
      [[80], 'B'],
    ],
    shows: [[[90], 'A']],
    more: [
      [[89], 'B'],
      [[100], 'A'],
    ],
    wrong: {
      js: {
        code: "export function grade(points) {\n  if (points > 90) return 'A';\n  return 'B';\n}\n",
        old: 'if (points > 90)',
        now: 'if (points >= 90)',
      },
      python: {
        code: "def grade(points):\n    if points > 90:\n        return 'A'\n    return 'B'\n",
        old: 'if points > 90:',
        now: 'if points >= 90:',
      },
      shell: {
        code: 'if [ "$1" -gt 90 ]; then\n  echo A\nelse\n  echo B\nfi\n',
        old: '[ "$1" -gt 90 ]',
        now: '[ "$1" -ge 90 ]',
      },
      go: {
        code: 'package core\n\nfunc Grade(points int) string {\n\tif points > 90 {\n\t\treturn "A"\n\t}\n\treturn "B"\n}\n',
        old: 'if points > 90 {',
        now: 'if points >= 90 {',
      },
    },
  },
  {
    module: 'greet',
    fn: both('greet', 'greet'),
    goal: 'Whoever gives no name is greeted as "you": the greeting of an empty name is "Hello, you".',
    seen: [[['Ann'], 'Hello, Ann']],
    shows: [[[''], 'Hello, you']],
    more: [[['Bo'], 'Hello, Bo']],
    wrong: {
      js: {
        code: 'export function greet(name) {\n  return `Hello, ${name}`;\n}\n',
        old: '${name}',
        now: "${name || 'you'}",
      },
      python: {
        code: "def greet(name):\n    return f'Hello, {name}'\n",
        old: "f'Hello, {name}'",
        now: 'f"Hello, {name or \'you\'}"',
      },
      shell: { code: 'echo "Hello, $1"\n', old: '"Hello, $1"', now: '"Hello, ${1:-you}"' },
    },
  },
];

/** Parameters of the problems that are written in TypeScript, too. */
const TYPED: Readonly<Record<string, string>> = {
  pages: 'items: number, size: number',
  stats: 'numbers: readonly number[]',
  slug: 'title: string',
  ranges: 'a: number, b: number, c: number, d: number',
  money: 'cents: number, people: number',
  version: 'one: string, other: string',
  lines: 'text: string',
};

export const PROBLEMS: readonly Problem[] = WRITTEN.map((problem) => {
  const [parameters, js] = [TYPED[problem.module], problem.wrong.js];
  if (parameters === undefined || !js) return problem;
  const ts = { ...js, code: js.code.replace(/\([^)]*\)/, `(${parameters})`) };
  return { ...problem, wrong: { ...problem.wrong, ts } };
});
