import { expect, it } from 'vitest';
import { renderShape, shapeOf } from './shape.js';

const door = `export class Door {
  #open = false;
  constructor() {}
  get isOpen() { return this.#open; }
  enter() {
    return this.isOpen;
  }
  leave() {}
  private lock() {}
  #turn() {}
}
export const knock = () => {
  const wait = (): number => 1;
  return [wait()].map((n) => n);
};
`;
const files = new Map([
  ['core/package.json', '{ "name": "@weft/core", "exports": { ".": {}, "./door": {} } }'],
  ['core/src/index.ts', `export { Door, knock } from './house/door.js';\nexport type { Key } from './house/key.js';\n`],
  ['core/src/door.ts', `export { Door } from './house/door.js';\n`],
  ['core/src/house/door.ts', door],
  ['core/src/house/key.ts', 'export interface Key {}\n'],
  ['core/src/house/window.ts', 'export function shut(): void {}\n'],
]);
const shape = shapeOf(new Map([...files].filter(([path]) => path.endsWith('.ts'))), files);

it('the longest files and functions are first', () => {
  expect(shape.files[0]).toEqual({ name: 'core/src/house/door.ts', size: 15 });
  expect(shape.functions.slice(0, 2)).toEqual([
    { name: 'core/src/house/door.ts:12 knock', size: 4 },
    { name: 'core/src/house/door.ts:5 enter', size: 3 },
  ]);
  expect(shape.functions.map(({ name }) => name.split(' ')[1]).sort()).toEqual(
    ['#turn', '(…)', 'constructor', 'enter', 'isOpen', 'knock', 'leave', 'lock', 'shut', 'wait'].sort(),
  );
});

it('a class is as wide as others can call it', () => {
  expect(shape.classes).toEqual([{ name: 'core/src/house/door.ts:1 Door', size: 2 }]);
});

it('a folder is as full as it has files itself, an entry as wide as it has names', () => {
  expect(shape.folders).toEqual([
    { name: 'core/src/house', size: 3 },
    { name: 'core/src', size: 2 },
  ]);
  expect(shape.entries).toEqual([
    { name: '@weft/core', size: 3 },
    { name: '@weft/core/door', size: 1 },
  ]);
});

it('is printed as lists of the first few', () => {
  const [first, second, third] = renderShape(shape, 1).split('\n');
  expect([first, second, third]).toEqual(['Longest files, in lines', '    15  core/src/house/door.ts', '']);
});
