import { describe, expect, it } from 'vitest';
import { type TurnShown, transcriptOf } from './transcript.js';

const turn: TurnShown = {
  logId: 'log-wu-1-1-0',
  agentId: 'agent-1',
  agentRole: 'worker',
  systemText: 'You do the work.',
  roleVersion: 'r7',
  said: 'Goal: show\n```js\nshow()\n```\n',
  notice: 'You have taken 4 of 5 turns.',
  assistantText: 'I read first.',
  toolCalls: [
    { toolUseId: 'c1', name: 'view', inputJson: '{"path":"a.js"}' },
    { toolUseId: 'c2', name: 'edit', inputJson: '{"path":"b.js"}' },
  ],
  toolResults: [
    { toolUseId: 'c2', result: 'b.js was never read', truncated: false, isError: true },
    { toolUseId: 'c1', result: '1 show()', truncated: true },
  ],
  stopReason: 'length',
  occurredAt: '2026-01-01T00:00:00.000Z',
  inputTokens: 10,
  outputTokens: 3,
  provider: 'anthropic',
  model: 'claude',
};
const work = { workUnitId: 'wu-1', goal: 'Show it', status: 'Merged', turns: [turn] };
const bare = { workUnitId: 'wu-2', goal: 'Hide it', status: 'Created', turns: [] };

describe('a transcript', () => {
  it('is a text in which everything stands that was told, said, called and answered, whatever marks are in it', () => {
    const { text, leftOut } = transcriptOf([work, bare], 'markdown', 1e6);
    expect(leftOut).toBe(0);
    expect(text).toBe(`# wu-1: Merged

\`\`\`text
Show it
\`\`\`

## Turn 1: worker agent-1

2026-01-01T00:00:00.000Z, anthropic/claude, 10 tokens read and 3 written

**Role, version r7**

\`\`\`text
You do the work.
\`\`\`

**Told**

\`\`\`\`text
Goal: show
\`\`\`js
show()
\`\`\`
\`\`\`\`

**Notice**

\`\`\`text
You have taken 4 of 5 turns.
\`\`\`

**Said**

\`\`\`text
I read first.
\`\`\`

**Called view**

\`\`\`text
{"path":"a.js"}
\`\`\`

**Answered, cut**

\`\`\`text
1 show()
\`\`\`

**Called edit**

\`\`\`text
{"path":"b.js"}
\`\`\`

**Refused**

\`\`\`text
b.js was never read
\`\`\`

It ended: length

# wu-2: Created

\`\`\`text
Hide it
\`\`\`

No model was asked for it yet.
`);
  });

  it('is the same facts for programs, as one document', () => {
    const { text } = transcriptOf([work, bare], 'json', 1e6);
    expect(JSON.parse(text)).toEqual({ work: [work, bare], leftOut: 0 });
  });

  it('has whole turns as far as there is room, and says how many are left out', () => {
    const long = { ...work, turns: [turn, { ...turn, said: 'x'.repeat(5000) }, turn] };
    const { text, leftOut } = transcriptOf([long], 'markdown', 2000);
    expect(leftOut).toBe(2);
    expect(text).toMatch(/It ended: length\n\n2 further turns are left out: the text would be too long\.\n$/);
    expect(text).not.toContain('xxx');
    expect(JSON.parse(transcriptOf([long], 'json', 2000).text)).toMatchObject({
      leftOut: 2,
      work: [{ turns: [turn] }],
    });
  });
});
