/**
 * Actions of the page: whatever it changes it changes by a button that shows the command and the REST call that do the same, and
 * they do. Which actions there are is read from the sources of the page: one that is new is held to this without a word here.
 */
import { execFileSync } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type CommandField, commandFields, commandWords, operationTable } from '@weft/studio';
import { ROUTES, createStudioClient } from '@weft/studio-client';
import ts from 'typescript';
import { expect, it, onTestFinished } from 'vitest';
import { commandFor, quoted, restFor } from '../../client/face/src/page/core/twin.js';
import { forEachNode, parse } from '../architecture/syntax.js';
import { WeftRun } from '../support/programs/weft-run.js';

const PAGE = join(import.meta.dirname, '../../client/face/src/page');

type Operation = keyof typeof ROUTES;

const isOperation = (text: string): text is Operation => Object.hasOwn(ROUTES, text);
const changes = (id: Operation): boolean => ROUTES[id][0] !== 'GET';

async function sources(): Promise<readonly ts.SourceFile[]> {
  const names = (await readdir(PAGE, { recursive: true })).filter((name) => /(?<!\.test)\.tsx?$/.test(name));
  return Promise.all(names.sort().map(async (name) => parse(name, await readFile(join(PAGE, name), 'utf8'))));
}

/** What is called so, such as `studio.call`, each with its arguments. */
function callsOf(source: ts.SourceFile, called: string): ts.CallExpression[] {
  const found: ts.CallExpression[] = [];
  forEachNode(source, (node) => {
    if (ts.isCallExpression(node) && node.expression.getText(source) === called) found.push(node);
  });
  return found;
}

function textsIn(source: ts.SourceFile): string[] {
  const found: string[] = [];
  forEachNode(source, (node) => void (ts.isStringLiteralLike(node) && found.push(node.text)));
  return found;
}

/** Whether a call stands where an action says what takes it back. */
function takesBack(call: ts.Node): boolean {
  for (let node = call.parent; !ts.isSourceFile(node); node = node.parent)
    if (ts.isJsxAttribute(node)) return node.name.getText() === 'undo';
  return false;
}

it('nothing but a button with its twins changes anything', async () => {
  const strays: string[] = [];
  const acted: string[] = [];
  for (const source of await sources()) {
    const name = source.fileName;
    const first = ({ arguments: [argument] }: ts.CallExpression): string =>
      argument && ts.isStringLiteralLike(argument) ? argument.text : '';
    for (const call of callsOf(source, 'studio.call')) {
      const id = first(call);
      // Reads by what they are asked for; actions by what they are told to do.
      if (name === 'core/query.ts' || name === 'core/act.ts') continue;
      if (!isOperation(id) || changes(id)) strays.push(`${name}: ${call.getText(source)}`);
    }
    for (const call of callsOf(source, 'useQuery')) {
      const id = first(call);
      if (!isOperation(id) || changes(id)) strays.push(`${name}: ${call.getText(source)}`);
    }
    for (const call of callsOf(source, 'act')) {
      acted.push(name);
      if (name !== 'parts/ui.tsx' && !takesBack(call)) strays.push(`${name}: ${call.getText(source)}`);
    }
    // Words to a room server that change something are said by their button alone.
    const reads = ['room-may', 'room-graph'];
    for (const call of callsOf(source, 'say')) {
      const isButton = name === 'rooms/says.tsx' || name === 'rooms/use-words.ts';
      const isTrial = call.arguments[1]?.getText(source).includes('preview: true') ?? false;
      if (!isButton && !isTrial && !reads.includes(first(call))) strays.push(`${name}: ${call.getText(source)}`);
    }
  }
  expect(strays).toEqual([]);
  expect(acted).toContain('parts/ui.tsx');
});

/** Values that a shell, a flag or a number could take for something else. */
const ROUNDS: readonly Readonly<Record<CommandField['kind'], unknown>>[] = [
  { text: `it's "-n" $HOME \`x\`\ntwo \\ *`, texts: ['a b', '-c'], number: 3, switch: true, json: { 'a/b': "it's" } },
  { text: '--at', texts: ['one'], number: null, switch: false, json: [{ path: '-x' }, null] },
];

async function inputsOf(id: Operation): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const operation = operationTable.find((one) => one.id === id)!;
  return ROUNDS.map((values) =>
    Object.fromEntries(
      commandFields(operation).map(({ name, kind, choices }) => {
        // A folder of the machine is made whole by the command, so it is whole here.
        if (name === 'path') return [name, '/tmp/a folder'];
        return [name, choices?.at(-1) ?? values[kind]];
      }),
    ),
  );
}

interface Heard {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly body: unknown;
}

async function heardOf(request: IncomingMessage): Promise<Heard> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const text = Buffer.concat(pieces).toString();
  return { method: request.method, path: request.url, body: text === '' ? {} : JSON.parse(text) };
}

/** Words of each command, as a shell makes them. */
function wordsOf(commands: readonly string[]): string[][] {
  const script = commands.map((command) => `printf '%s\\0' ${command}; printf '\\001'`).join('\n');
  const said = execFileSync('sh', ['-c', script], { encoding: 'utf8', maxBuffer: 1 << 26 });
  return said
    .split('\u0001')
    .slice(0, -1)
    .map((words) => words.split('\0').slice(0, -1));
}

it('the command beside each action asks the studio for what the button asks', async () => {
  const heard: Heard[] = [];
  const server = createServer((request, answer) => {
    void heardOf(request).then((one) => {
      heard.push(one);
      answer.setHeader('content-type', 'application/json');
      answer.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createStudioClient({ origin });

  const ids = new Set((await sources()).flatMap(textsIn).filter(isOperation).filter(changes));
  const asked = (
    await Promise.all([...ids].map(async (id) => (await inputsOf(id)).map((input) => ({ id, input }))))
  ).flat();
  const all = wordsOf(asked.map(({ id, input }) => commandFor(id, input)));
  expect(all.length).toBeGreaterThan(60);
  for (const [at, { id, input }] of asked.entries()) {
    const [weft, ...args] = all[at]!;
    expect(weft).toBe('weft');
    await client.call(id, input as never);
    const { ended, err } = new WeftRun([...args, '--at', origin, '--json'], { env: { WEFT_TOKEN: 'a-token' } });
    expect(await ended, `${commandFor(id, input)}\n${err.join('\n')}`).toBe(0);
    const [button, command] = heard.splice(0);
    expect(command, commandFor(id, input)).toEqual(button);
    const { rest } = operationTable.find((one) => one.id === id)!;
    expect(restFor(id)).toBe(`${rest?.method} ${rest?.path}`);
    expect(args.slice(1, 3)).toEqual(commandWords(operationTable.find((one) => one.id === id)!));
  }
});

it('a key is given by a command that has no key in it, and its name is one word of the shell', () => {
  expect(wordsOf([`weft key set ${quoted("it's")}`])).toEqual([['weft', 'key', 'set', "it's"]]);
});
