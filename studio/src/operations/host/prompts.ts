/** Prompt templates: ways to begin a conversation about the studio's work, offered to people by their client. */

export interface PromptKind {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
  text(given: Readonly<Record<string, string>>): string;
}

const goalId = { name: 'goalId', description: 'Id of the goal.', required: true };

export const promptKinds: readonly PromptKind[] = [
  {
    name: 'plan_goal',
    title: 'Plan a goal',
    description: 'Think a goal through and divide it before work begins.',
    arguments: [
      { name: 'goal', description: 'What is to be achieved.', required: true },
      { name: 'repositoryId', description: 'Repository to work on.', required: false },
    ],
    text: ({ goal = '', repositoryId }) =>
      [
        `I want to achieve this: ${goal}`,
        repositoryId === undefined ? '' : `Work on the repository ${repositoryId}.`,
        'Say what you take it to mean and how one could tell that it is done. Ask what you must know before work begins. ' +
          'Then divide it into parts that can be worked on apart, name the files that each may change, and say which parts ' +
          'wait for which. Create nothing until I agree.',
      ]
        .filter((line) => line !== '')
        .join('\n'),
  },
  {
    name: 'review_goal',
    title: 'Review a goal',
    description: 'Say how a goal stands, and what it needs from a person.',
    arguments: [goalId],
    text: (given) =>
      `Read weft://goals/${given['goalId'] ?? ''} and weft://goals/${given['goalId'] ?? ''}/timeline. Tell me in a few ` +
      'sentences what is done, what is under way and what stands still. Name what waits for me, most urgent first, and ' +
      'what you would answer. Change nothing.',
  },
  {
    name: 'explain_work_unit',
    title: 'Explain a work unit',
    description: 'Say what was done in a work unit, and why.',
    arguments: [{ name: 'workUnitId', description: 'Id of the work unit.', required: true }],
    text: (given) =>
      `Read weft://workunits/${given['workUnitId'] ?? ''} and weft://workunits/${given['workUnitId'] ?? ''}/timeline. ` +
      'Explain to somebody who was not there what was tried, what came of it, and what remains open. Keep apart what is ' +
      'recorded and what you conclude.',
  },
];
