/** Transcript of work: all that its agents were told, said, called and were answered, as one text to keep or to show others. */

/** Turn of an agent, as the log of a unit shows it. */
export interface TurnShown {
  readonly logId: string;
  readonly agentId: string;
  readonly agentRole: string;
  readonly systemText?: string | undefined;
  readonly roleVersion?: string | undefined;
  readonly said?: string | undefined;
  readonly notice?: string | undefined;
  readonly compacted?: string | undefined;
  readonly assistantText?: string | undefined;
  readonly toolCalls: readonly { readonly toolUseId: string; readonly name: string; readonly inputJson: string }[];
  readonly toolResults: readonly {
    readonly toolUseId: string;
    readonly result: string;
    readonly truncated: boolean;
    readonly isError?: boolean | undefined;
  }[];
  readonly stopReason?: string | undefined;
  readonly refusal?: string | undefined;
  readonly occurredAt: string;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

export interface WorkShown {
  readonly workUnitId: string;
  readonly goal: string;
  readonly status: string;
  readonly turns: readonly TurnShown[];
}

export const TRANSCRIPT_FORMATS = ['markdown', 'json'] as const;

export interface Transcript {
  readonly text: string;
  /** Turns for which there was no room; they are the last ones. */
  readonly leftOut: number;
}

/** Transcript of so many characters at most, more or less, in whole turns. */
export function transcriptOf(
  works: readonly WorkShown[],
  format: (typeof TRANSCRIPT_FORMATS)[number],
  most: number,
): Transcript {
  let room = most;
  let leftOut = 0;
  const hasRoom = (turn: TurnShown): boolean => {
    room -= JSON.stringify(turn).length;
    if (room < 0) leftOut += 1;
    return room >= 0;
  };
  const kept = works.map((work) => ({ ...work, turns: work.turns.filter(hasRoom) }));
  if (format === 'json') return { text: `${JSON.stringify({ work: kept, leftOut }, undefined, 1)}\n`, leftOut };
  const end = leftOut === 0 ? '' : `\n${leftOut} further turns are left out: the text would be too long.\n`;
  return { text: kept.map(workText).join('\n') + end, leftOut };
}

function workText({ workUnitId, goal, status, turns }: WorkShown): string {
  const said = turns.length === 0 ? ['No model was asked for it yet.\n'] : turns.map(turnText);
  return [`# ${workUnitId}: ${status}\n`, fenced(goal), ...said].join('\n');
}

function turnText(turn: TurnShown, index: number): string {
  const { agentId, agentRole, occurredAt, provider, model, inputTokens, outputTokens, stopReason, refusal } = turn;
  const by = [provider, model].filter((name) => name !== undefined).join('/');
  const tokens = inputTokens === undefined ? '' : `, ${inputTokens} tokens read and ${outputTokens ?? 0} written`;
  const results = new Map(turn.toolResults.map((result) => [result.toolUseId, result]));
  const role = turn.roleVersion === undefined ? 'Role' : `Role, version ${turn.roleVersion}`;
  return [
    `## Turn ${index + 1}: ${agentRole} ${agentId}\n`,
    `${occurredAt}${by === '' ? '' : `, ${by}`}${tokens}\n`,
    ...told(role, turn.systemText),
    ...told('What was said before, in short', turn.compacted),
    ...told('Told', turn.said),
    ...told('Notice', turn.notice),
    ...told('Said', turn.assistantText),
    ...turn.toolCalls.flatMap(({ toolUseId, name, inputJson }) => {
      const { result, isError = false, truncated = false } = results.get(toolUseId) ?? {};
      return [
        ...told(`Called ${name}`, inputJson),
        ...told(`${isError ? 'Refused' : 'Answered'}${truncated ? ', cut' : ''}`, result),
      ];
    }),
    ...(stopReason === undefined || stopReason === 'end' || stopReason === 'calls'
      ? []
      : [`It ended: ${stopReason}\n`]),
    ...told('Refused, as the vendor says', refusal),
  ].join('\n');
}

function told(what: string, text: string | undefined): string[] {
  return text === undefined || text === '' ? [] : [`**${what}**\n`, fenced(text)];
}

/** Text as it is, whatever marks are in it: the fence is longer than any of its own. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([marks]) => marks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text.replace(/\n$/, '')}\n${fence}\n`;
}
