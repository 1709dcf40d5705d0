/**
 * Script of the demonstration: a planner, three workers and a reviewer. One worker asks a person, and one, whose part that person has
 * added to the plan, needs more turns than it has, changes the same line as another, and brings both together.
 */
import type { WrittenLine } from '../models/providers/scripted/script.js';
import { APPROVING, type ScriptCall, call, propose, read, write } from './lines.js';
import { testOf } from './repository.js';

export const GOAL = 'Let the calculator subtract, multiply and show results';
const SUBTRACT = 'Subtract one number from another';
export const MULTIPLY = 'Multiply two numbers';
const SHOW = 'Show a result with a fixed number of decimals';
export const QUESTION = 'How many decimals should a result be shown with?';

/** Turn limit of a worker. One of them needs more. */
export const TURNS = 4;

const PLAN = {
  slices: [
    {
      sliceId: 'subtract',
      goal: SUBTRACT,
      contract: 'subtract(a, b) in src/subtract.js',
      fileScope: ['src/subtract.js', 'src/index.js', 'test/subtract.*'],
    },
    { sliceId: 'show', goal: SHOW, contract: 'show(number) in src/show.js', fileScope: ['src/show.js', 'test/show.*'] },
  ],
};

const index = (...names: string[]): ScriptCall =>
  write('src/index.js', ['add', ...names].map((name) => `export { ${name} } from './${name}.js';\n`).join(''));

export const SCRIPT: readonly WrittenLine[] = [
  {
    when: { role: 'planner' },
    text: 'Two slices; what the planner has overlooked a person adds.',
    calls: [call('artifact_record_plan', { planContent: JSON.stringify(PLAN) })],
  },

  { when: { role: 'worker', title: SUBTRACT }, calls: [read('src/index.js')] },
  {
    calls: [
      index('subtract'),
      write('src/subtract.js', 'export const subtract = (a, b) => a - b;\n'),
      write('test/subtract.test.js', testOf('subtract', 'assert.equal(subtract(5, 3), 2);\n')),
    ],
  },
  { calls: [index('subtract'), propose('subtract(a, b)')] },

  // This worker reads until its turns are used up, and continues when told to. By then another may hold the file.
  { when: { role: 'worker', title: MULTIPLY }, calls: [read('src/index.js')] },
  { calls: [read('src/add.js')] },
  { calls: [read('test/add.test.js')] },
  { calls: [read('package.json')] },
  {
    calls: [
      write('src/multiply.js', 'export const multiply = (a, b) => a * b;\n'),
      write('test/multiply.test.js', testOf('multiply', 'assert.equal(multiply(4, 3), 12);\n')),
      read('src/index.js'),
    ],
  },
  { calls: [index('multiply')] },
  { calls: [read('src/index.js')] },
  { calls: [index('multiply'), propose('multiply(a, b)')] },
  // Its proposal is in conflict with the first one: it goes on here, and brings both together.
  { calls: [read('src/index.js')] },
  { calls: [index('subtract', 'multiply'), propose('Both are exported')] },

  {
    when: { role: 'worker', title: SHOW },
    calls: [call('clarification_request', { question: QUESTION, options: ['2', '3'] })],
  },
  {
    calls: [
      write('src/show.js', 'export const show = (number) => number.toFixed(2);\n'),
      write('test/show.test.js', testOf('show', "assert.equal(show(1), '1.00');\n")),
      propose('show(number), with two decimals'),
    ],
  },

  APPROVING,
];
