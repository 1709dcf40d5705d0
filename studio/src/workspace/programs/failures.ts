/**
 * Failure parser: what failed, where and why, from output for people. A test that failed begins a block; its place and its message are
 * looked for inside. Where no test is named, complaints of compilers and uncaught errors are taken.
 */
import { lintResults } from './lint-lines.js';

export interface Failure {
  /** Name of the test, as its runner says it. */
  readonly test?: string;
  readonly file?: string;
  readonly line?: number;
  readonly message: string;
  /** Import path of the package that the file is named from, as Go does. */
  readonly within?: string;
}

const MOST = 200;
const MOST_BLOCK = 80;
const MOST_MESSAGE = 600;

/** First lines of failed tests, by runner. */
const STARTS: readonly RegExp[] = [
  // node --test, as programs read it, and as people do
  /^\s*not ok \d+ - (?<test>.+?)(?: # .*)?$/,
  /^test at (?<file>.+):(?<line>\d+):\d+$/,
  // unittest
  /^(?:FAIL|ERROR): (?<test>\S+ \(.+\).*)$/,
  // pytest
  /^_{3,} (?<test>.+?) _{3,}$/,
  // vitest and jest
  /^\s*FAIL\s+(?<test>\S.* > .+)$/,
  /^\s*● (?<test>\S.*)$/,
  // go
  /^\s*--- FAIL: (?<test>\S+) \(/,
  // cargo
  /^---- (?<test>.+) stdout ----$/,
  // mocha
  /^ {2}\d+\) (?<test>\S.*)$/,
];
/** Ends of the last block. */
const END =
  /^(?:failures:|test result:|=+ short test summary|=+ .* in [\d.]+s|# tests \d|Ran \d+ tests? in .*|⎯{10,}.*|\d+\.\.\d+)$/;

/** Places in a block, those that say most first. */
const PLACES: readonly { readonly pattern: RegExp; readonly last?: true }[] = [
  { pattern: /panicked at (?<file>[^\s:]+):(?<line>\d+):\d+/ },
  { pattern: /^\s*❯ (?:.*[( ])?(?<file>[^\s:()]+):(?<line>\d+):\d+\)?$/ },
  { pattern: /^(?<file>[^\s:]+\.py):(?<line>\d+): \S/, last: true },
  { pattern: /^\s+(?<file>[^\s:]+\.go):(?<line>\d+): / },
  // go, where it panicked
  { pattern: /^\t(?<file>\/[^\s:]+\.go):(?<line>\d+)(?: \+0x[0-9a-f]+)?$/ },
  { pattern: /File "(?<file>[^"<>]+)", line (?<line>\d+)/, last: true },
  { pattern: /(?:^|[\s(]|file:\/\/)(?<file>\/[^\s:()]+):(?<line>\d+):\d+\)?(?: \{)?$/ },
  { pattern: /^\s+at (?:.*\()?(?<file>[^\s:()]+\.\w+):(?<line>\d+):\d+\)?$/ },
  { pattern: /location: '(?<file>[^']+):(?<line>\d+):\d+'/ },
];
/** Code of others, and of the runner, is not the place. */
const NOT_OURS =
  /node:|node_modules|\/lib\/python|site-packages|\/rustc\/|\/src\/(?:runtime|testing|reflect)\/|\/pkg\/mod\//;

export function failuresIn(output: string, folder: string): Failure[] {
  const lines = output.split('\n').map((line) => line.trimEnd());
  const tests = blocksOf(lines).flatMap((block) => failureOf(block, folder) ?? []);
  const found = tests.length > 0 ? tests.filter((one) => !isSumOf(one, tests)) : complaintsIn(output, lines, folder);
  const once = new Map(
    found.map((one) => [JSON.stringify([one.test, one.file, one.line, one.message, one.within]), one]),
  );
  return [...once.values()].slice(0, MOST);
}

/** go: a test that failed because those within it did, and that says nothing itself. */
function isSumOf({ test, message }: Failure, all: readonly Failure[]): boolean {
  return message === '' && test !== undefined && all.some((other) => other.test?.startsWith(`${test}/`) === true);
}

interface Block {
  readonly lines: string[];
  within?: string;
}

/** go: says of which package the tests above were. */
const PACKAGE = /^(?:FAIL|ok {2})\t(?<within>[^\s[]+)\s/;

function blocksOf(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  let [isOpen, ofPackage] = [false, 0];
  for (const line of lines) {
    const within = PACKAGE.exec(line)?.groups?.['within'];
    if (within !== undefined) {
      for (const block of blocks.slice(ofPackage)) block.within = within;
      [isOpen, ofPackage] = [false, blocks.length];
    } else if (STARTS.some((start) => start.test(line))) {
      blocks.push({ lines: [line] });
      isOpen = true;
    } else if (END.test(line)) isOpen = false;
    else if (isOpen && blocks.at(-1)!.lines.length < MOST_BLOCK) blocks.at(-1)!.lines.push(line);
  }
  return blocks;
}

function failureOf({ lines: [first = '', ...rest], within }: Block, folder: string): Failure | undefined {
  // A suite whose tests failed has not failed itself.
  if (rest.slice(0, 8).some((line) => line.includes("failureType: 'subtestsFailed'"))) return undefined;
  const groups = STARTS.map((start) => start.exec(first)?.groups).find((found) => found !== undefined) ?? {};
  const named = groups['test'] ?? /^✖ (?<test>.+?)(?: \([\d.]+ms\))?$/.exec(rest[0] ?? '')?.groups?.['test'];
  const body = groups['test'] === undefined && named !== undefined ? rest.slice(1) : rest;
  const place = placeIn(body) ?? (groups['file'] === undefined ? undefined : groups);
  return {
    ...(named === undefined ? {} : { test: named.trim() }),
    ...placed(place, folder),
    message: messageIn(body),
    ...(within === undefined ? {} : { within }),
  };
}

type Groups = Readonly<Record<string, string | undefined>>;

function placeIn(body: readonly string[]): Groups | undefined {
  for (const { pattern, last } of PLACES) {
    const found = body
      .filter((line) => !NOT_OURS.test(line))
      .map((line): Groups | undefined => pattern.exec(line)?.groups)
      .filter((groups) => groups !== undefined);
    const one = last ? found.at(-1) : found.at(0);
    if (one) return one;
  }
  return undefined;
}

const ERROR_LINE = /^\s*(?:[\w.]*\.)?[A-Z]\w*(?:Error|Exception|Failure|Warning)\b.*/;

function messageIn(body: readonly string[]): string {
  const at = (matches: (line: string) => boolean): number => body.findIndex(matches);
  const panicked = at((line) => line.includes('panicked at'));
  if (panicked >= 0)
    return joined(body.slice(panicked + 1, panicked + 4).filter((line) => !/^(stack|note)/.test(line)));
  const pytest = body.filter((line) => /^E\s+\S/.test(line)).map((line) => line.slice(1).trim());
  if (pytest.length > 0) return joined(pytest.slice(0, 3));
  const tap = at((line) => /^\s*error: /.test(line));
  if (tap >= 0) {
    const quoted = /^\s*error: '(.*)'$/.exec(body[tap]!)?.[1];
    return quoted ?? joined(upTo(body.slice(tap + 1), (line) => /^\s*\w+: /.test(line)));
  }
  const go = body.map((line) => /^\s+\S+\.go:\d+: (.+)$/.exec(line)?.[1]).find((text) => text !== undefined);
  if (go !== undefined) return joined([go]);
  const error = at((line) => ERROR_LINE.test(line));
  if (error >= 0)
    return joined(upTo(body.slice(error), (line) => /^\s*(at |❯|- Expected|\d+\||File ")/.test(line)).slice(0, 4));
  return joined(body.filter((line) => /[\p{L}\p{N}]/u.test(line) && !/^\s*at /.test(line)).slice(0, 2));
}

function upTo(lines: readonly string[], isEnd: (line: string) => boolean): readonly string[] {
  const end = lines.findIndex(isEnd);
  return end < 0 ? lines : lines.slice(0, end);
}

function joined(lines: readonly string[]): string {
  const text = lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' | ');
  return text.slice(0, MOST_MESSAGE);
}

function placed(place: Groups | undefined, folder: string): { file?: string; line?: number } {
  const { file, line } = place ?? {};
  return {
    ...(file === undefined ? {} : { file: inside(file, folder) }),
    ...(line === undefined ? {} : { line: Number(line) }),
  };
}

function inside(file: string, folder: string): string {
  const path = file.replace(/^file:\/\//, '');
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path.replace(/^\.\//, '');
}

/** tsc, as programs read it, and as people do. */
const TSC = [
  /^(?<file>[^\s(][^(]*)\((?<line>\d+),\d+\): error (?<message>TS\d+: .*)$/,
  /^(?<file>[^\s:][^:]*):(?<line>\d+):\d+ - error (?<message>TS\d+: .*)$/,
];
const MAKE = /^make(?:\[\d+\])?: \*\*\* (?<message>.*)$/;

/** Complaints of compilers, uncaught errors, and targets that were not made. */
function complaintsIn(output: string, lines: readonly string[], folder: string): Failure[] {
  const tsc = lines.flatMap((line): Failure[] => {
    const groups = TSC.map((shape) => shape.exec(line)?.groups).find((found) => found !== undefined);
    return groups ? [{ ...placed(groups, folder), message: groups['message'] ?? '' }] : [];
  });
  const uncaught = uncaughtIn(lines, folder);
  if (tsc.length + uncaught.length > 0) return [...tsc, ...uncaught];
  const said = lintResults(output, folder).filter(({ severity }) => severity === 'error');
  if (said.length > 0)
    return said.map(({ file, line, message, ruleId }) => {
      const rule = ruleId === '' ? '' : ` (${ruleId})`;
      return { file, ...(line === undefined ? {} : { line }), message: message + rule };
    });
  return lines.flatMap((line): Failure[] => {
    const groups = MAKE.exec(line)?.groups;
    return groups ? [{ message: groups['message'] ?? '' }] : [];
  });
}

/** Errors that nothing caught: the innermost place of ours, and the line that names the error. */
function uncaughtIn(lines: readonly string[], folder: string): Failure[] {
  const found: Failure[] = [];
  let place: Groups | undefined;
  for (const line of lines) {
    const python = /^\s*File "(?<file>[^"<>]+)", line (?<line>\d+)/.exec(line)?.groups;
    // Node names the file and line above the source and the error.
    const node = /^(?:file:\/\/)?(?<file>\/[^\s:]+):(?<line>\d+)$/.exec(line)?.groups;
    if ((python ?? node) && !NOT_OURS.test(line)) place = python ?? node;
    if (place === undefined || !/^(?:[\w.]*\.)?[A-Z]\w*(?:Error|Exception)\b.*: ?\S/.test(line)) continue;
    found.push({ ...placed(place, folder), message: joined([line]) });
    place = undefined;
  }
  return found;
}
