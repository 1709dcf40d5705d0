import { describe, expect, it } from 'vitest';
import { shapeOf } from './shape.js';

const auto = (goal: string): boolean => shapeOf({ goal, metadata: { shape: 'auto' } }).isSingle;

describe('the shape of the work', () => {
  it('is one agent for what is short and says one thing, and a plan for what does not', () => {
    expect(auto('Fix the squeak in src/hinge.js, and test it in test/hinge.test.js')).toBe(true);
    expect(auto('Rename a.js, b.js and c.js')).toBe(false);
    expect(auto('Make it quiet:\n- the hinge\n- the lock')).toBe(false);
    expect(auto('quiet '.repeat(60))).toBe(false);
  });

  it('is what whoever set the goal wants, and a plan where nobody has left it open', () => {
    const long = 'quiet '.repeat(60);
    expect(shapeOf({ goal: long, metadata: { shape: 'single' } }).isSingle).toBe(true);
    expect(shapeOf({ goal: 'x', metadata: { shape: 'planned' } }).isSingle).toBe(false);
    expect(shapeOf({ goal: 'x' }).isSingle).toBe(false);
  });
});
