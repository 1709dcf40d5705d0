/**
 * Script of the demonstration that a person plays: a planner, two workers and a reviewer. One worker asks, one uses up its turns and
 * fails. The first result lacks a test; sent back, it comes with one, whatever was said. Each way out of the failure has its lines.
 */
import type { ChooseModel } from '../models/chosen-model.js';
import type { Provider } from '../models/provider.js';
import type { WrittenLine } from '../models/providers/scripted/script.js';
import type { DemonstrationGoal } from '../operations/kernel/demonstration.js';
import { APPROVING, type ScriptCall, call, propose, read, write } from './lines.js';
import { demoModels } from './models.js';
import { testOf } from './repository.js';

export const PLAYED: DemonstrationGoal = {
  goal: 'Let the calculator subtract, and show its results with decimals',
  successCriteria: 'Each of both has a test.',
  shape: 'planned',
};

/** Turn limit of a worker: one of them needs more. */
export const PLAYED_TURNS = 4;

const SUBTRACT = 'Subtract one number from another';
const SUBTRACT_ANEW = 'Subtract, without reading everything first';
const SHOW = 'Show a result with decimals';
const TEST = 'Test that it subtracts';
const DESCRIBE = 'Say in the readme what the calculator can do';
/** Goal of the part of each further round, up to the number of that. */
const NOTE = 'Note how often it was sent back: ';
/** Stands in the lines for what the person has answered. */
const DECIMALS = '%decimals%';
/** Stands in the lines for how often the person has sent the whole back. */
const ROUND = '%round%';

const slice = (goal: string, contract: string, ...fileScope: string[]) => ({
  sliceId: fileScope[0],
  goal,
  contract,
  fileScope,
});
const plan = (...slices: ReturnType<typeof slice>[]): ScriptCall =>
  call('artifact_record_plan', { planContent: JSON.stringify({ slices }) });

const subtracting = (goal: string) =>
  slice(goal, 'subtract(a, b) in src/subtract.js', 'src/subtract.js', 'src/index.js');

const subtracted: readonly WrittenLine[] = [
  {
    text: 'That is enough reading: I write it down.',
    calls: [
      read('src/index.js'),
      write('src/subtract.js', '/** What is left of a number. */\nexport const subtract = (a, b) => a - b;\n'),
    ],
  },
  {
    calls: [
      write('src/index.js', "export { add } from './add.js';\nexport { subtract } from './subtract.js';\n"),
      propose('subtract(a, b)'),
    ],
  },
];
const subtractedBy = (when: WrittenLine['when']): WrittenLine[] => subtracted.map((line) => ({ ...line, when }));

const SCRIPT: readonly WrittenLine[] = [
  {
    when: { role: 'planner' },
    text: 'Two parts that need nothing of each other.',
    calls: [plan(subtracting(SUBTRACT), slice(SHOW, 'show(number) in src/show.js', 'src/show.js', 'test/show.*'))],
  },
  // Sent back once, twice, and as often as somebody likes.
  {
    text: 'True, nothing tests that it subtracts: a part of its own.',
    calls: [plan(slice(TEST, 'subtract(5, 3) is 2', 'test/subtract.test.js'))],
  },
  {
    text: 'Then it should be written down, too.',
    calls: [plan(slice(DESCRIBE, 'readme.md names what there is', 'readme.md'))],
  },
  {
    text: 'I know of nothing more that it lacks: that is noted.',
    repeat: true,
    // A file of its own in each round: parts begin at the branch where the whole will land, which has none of them.
    calls: [plan(slice(NOTE + ROUND, 'a note', `notes/${ROUND}.md`))],
  },
  { when: { role: 'planner', title: SUBTRACT }, calls: [plan(subtracting(SUBTRACT_ANEW))] },

  { when: { role: 'worker', title: SUBTRACT }, text: 'I look around first.', calls: [read('src/index.js')] },
  { text: 'And further.', calls: [read('src/add.js')] },
  { text: 'How is it tested?', calls: [read('test/add.test.js')] },
  { text: 'And what else is there?', calls: [read('package.json')] },
  ...subtracted,
  ...subtractedBy({ role: 'worker', title: SUBTRACT, says: 'An earlier attempt ended' }),
  ...subtractedBy({ role: 'worker', title: SUBTRACT_ANEW }),

  {
    when: { role: 'worker', title: SHOW },
    text: 'The tests say nothing about it.',
    calls: [
      call('clarification_request', {
        question: 'How many decimals should a result be shown with?',
        options: ['2', '3'],
      }),
    ],
  },
  {
    calls: [
      write('src/show.js', `export const show = (number) => number.toFixed(${DECIMALS});\n`),
      write(
        'test/show.test.js',
        testOf('show', `assert.equal(Number(show(1)), 1);\n  assert.equal(show(1).length, ${DECIMALS} + 2);\n`),
      ),
      propose(`show(number), with ${DECIMALS} decimals`),
    ],
  },

  {
    when: { role: 'worker', title: TEST },
    calls: [
      write('test/subtract.test.js', testOf('subtract', 'assert.equal(subtract(5, 3), 2);\n')),
      propose('subtract(a, b) has its test'),
    ],
  },
  {
    when: { role: 'worker', title: DESCRIBE },
    calls: [
      write('readme.md', '# Calculator\n\nIt adds and subtracts, and shows results with decimals.\n'),
      propose('The readme says what there is'),
    ],
  },
  {
    when: { role: 'worker', says: NOTE },
    calls: [
      write(`notes/${ROUND}.md`, `It was sent back ${ROUND} times.\n`),
      propose(`It is noted that it was sent back ${ROUND} times`),
    ],
  },
  APPROVING,
];

/** Models that say these lines, with as many decimals as the person has answered, and the number of the round. */
export function playedModels(): ChooseModel {
  const choose = demoModels(SCRIPT);
  return async (...asked) => {
    const chosen = await choose(...asked);
    return { ...chosen, provider: filledIn(chosen.provider) };
  };
}

function filledIn(provider: Provider): Provider {
  return {
    ...provider,
    async turn(request, options) {
      const turn = await provider.turn(request, options);
      const told = /\nAnswered: .*?(\d)/.exec(request.messages.map(({ text }) => text).join('\n'))?.[1] ?? '2';
      const { title = '', turn: rounds = 0 } = request.about ?? {};
      const round = title.startsWith(NOTE) ? title.slice(NOTE.length) : String(rounds);
      const fill = <T>(value: T): T =>
        JSON.parse(JSON.stringify(value).replaceAll(DECIMALS, told).replaceAll(ROUND, round)) as T;
      return { ...turn, calls: fill(turn.calls) };
    },
  };
}
