import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Heads } from './heads.js';

const step = fc.record({
  act: fc.constantFrom('add', 'delete', 'move', 'close', 'begin', 'clear'),
  at: fc.nat(),
  by: fc.nat(5),
});

it('heads are a set of numbers, however they come and go', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
      const [heads, expected] = [new Heads(), new Set<number>()];
      let size = 0;
      for (const { act, at, by } of steps) {
        const head = [...expected][at % expected.size];
        if (act === 'add') {
          expected.add(size);
          heads.add(size++);
        } else if (act === 'delete') {
          const node = at % (size + 2);
          expect(heads.delete(node)).toBe(expected.delete(node));
        } else if (act === 'move' && head !== undefined) {
          // To a node that comes now, as a run of nodes does it.
          expected.delete(head);
          expected.add(size);
          heads.move(head, size++);
        } else if (act === 'close') heads.closeBefore(Math.max(size - by, 0));
        else if (act === 'begin' && expected.size === 0 && size === 0) {
          size = by + 3;
          heads.begin(size, [by, by + 2]);
          for (const each of [by, by + 2]) expected.add(each);
        } else if (act === 'clear' && by === 0) {
          heads.clear();
          expected.clear();
          size = 0;
        }
        expect(heads.size).toBe(expected.size);
        expect(heads.list().sort((a, b) => a - b)).toEqual([...expected].sort((a, b) => a - b));
        for (let node = 0; node < size + 2; node++) expect([node, heads.has(node)]).toEqual([node, expected.has(node)]);
      }
    }),
  );
});
