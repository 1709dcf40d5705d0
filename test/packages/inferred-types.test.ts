/** What an editor shows of a room's types: the types that a project has written, and none by which they were found. */
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { checkout } from './packed-project.js';

const FILE = join(checkout, 'client/web/reference/inferred.ts');
const CODE = `
  import { openRoom } from '@weft/client';
  import { hooksFor } from '@weft/client/react';
  interface Task { what: string; done: boolean }
  declare module '@weft/client' {
    interface Rooms { plan: { values: { title: string; 'tasks/*': Task }; lists: { log: number }; texts: 'body'; presence: { x: number } } }
  }
  const room = openRoom('plan', { url: 'ws://127.0.0.1' });
  export const title = room.get('title');
  export const task = room.get('tasks/1');
  export const items = room.items('log');
  export const tasks = room.entries('tasks/');
  export const shown = room.presence.others[0]?.shown;
  export const { useValue } = hooksFor('plan');
  export const used = useValue('tasks/2');
  export const other = openRoom('other', { url: 'ws://127.0.0.1' }).get('any');
  export const set = room.set('title', 'a');
`;

const WRONG = `${CODE}
  room.get('titel'); room.set('title', 1); room.text('title'); useValue('body');
`;

function programOf(code: string): ts.Program {
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (name) => name === FILE || fileExists(name);
  host.readFile = (name) => (name === FILE ? code : readFile(name));
  host.getSourceFile = (name, ...rest) =>
    name === FILE ? ts.createSourceFile(name, code, ts.ScriptTarget.ES2023) : getSourceFile(name, ...rest);
  return ts.createProgram([FILE], options, host);
}

it('types of what a room holds are shown as the project has written them', () => {
  const program = programOf(CODE);
  expect(ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText)).toEqual([]);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(FILE)!;
  const shown = checker.getExportsOfModule(checker.getSymbolAtLocation(source)!).map((symbol) => {
    const type = checker.getTypeOfSymbolAtLocation(symbol, source);
    return [symbol.name, checker.typeToString(type)];
  });
  expect(Object.fromEntries(shown)).toMatchObject({
    title: 'string | undefined',
    task: 'Task | undefined',
    items: 'readonly number[]',
    tasks: 'Readonly<Record<string, Task>>',
    shown: '{ x: number; } | undefined',
    used: 'Task | undefined',
    other: 'unknown',
    set: 'void',
  });
});

it('what a room does not hold is refused', () => {
  const program = programOf(WRONG);
  expect(ts.getPreEmitDiagnostics(program)).toHaveLength(4);
});
