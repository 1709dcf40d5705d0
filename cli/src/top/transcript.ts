/** Lines of a transcript: what an agent was told, said and called, newest last. */
import type { ConversationLogEntry } from '@weft/studio-client';
import { wrapped } from '../output/columns.js';
import { type Canvas, line } from './lines.js';

/** Lines of one text; the page shows all of it. */
const MOST_LINES = 20;
/** Letters of what is shown in one line, which no screen is as wide as. */
const LONGEST = 1000;

export function transcriptLines(entries: readonly ConversationLogEntry[], canvas: Canvas): string[] {
  return entries.flatMap((entry) => [
    line([{ text: headOf(entry), style: 'dim' }], canvas),
    ...(entry.said === undefined ? [] : [line([{ text: `  told: ${firstOf(entry.said)}`, style: 'dim' }], canvas)]),
    ...(entry.notice === undefined ? [] : [line([{ text: `  ! ${firstOf(entry.notice)}`, style: 'yellow' }], canvas)]),
    ...textLines(entry.assistantText ?? '', canvas),
    ...(entry.refusal === undefined
      ? []
      : [line([{ text: `  refuses: ${firstOf(entry.refusal)}`, style: 'red' }], canvas)]),
    ...callLines(entry, canvas),
  ]);
}

function headOf({ agentRole, occurredAt, inputTokens, outputTokens }: ConversationLogEntry): string {
  const spent = inputTokens === undefined ? '' : `  ${inputTokens} read, ${outputTokens ?? 0} written`;
  return `${agentRole}  ${occurredAt.slice(11, 19)}${spent}`;
}

function textLines(text: string, canvas: Canvas): string[] {
  if (text.trim() === '') return [];
  const lines = wrapped(text.trim(), canvas.columns - 2);
  const shown = lines.slice(0, MOST_LINES).map((one) => line([{ text: `  ${one}` }], canvas));
  const left = lines.length - shown.length;
  return left === 0 ? shown : [...shown, line([{ text: `  … ${left} more lines`, style: 'dim' }], canvas)];
}

function callLines({ toolCalls, toolResults }: ConversationLogEntry, canvas: Canvas): string[] {
  return toolCalls.flatMap(({ toolUseId, name, inputJson }) => {
    const answer = toolResults.find((one) => one.toolUseId === toolUseId);
    const called = line(
      [
        { text: '  -> ' },
        { text: name.replace(/^svc_v1_/, ''), style: 'cyan' },
        { text: ` ${inputJson.slice(0, LONGEST)}` },
      ],
      canvas,
    );
    if (!answer) return [called, line([{ text: '     running', style: 'dim' }], canvas)];
    const said = `     ${answer.isError === true ? 'refused: ' : ''}${firstOf(answer.result)}`;
    return [called, line([{ text: said, style: answer.isError === true ? 'red' : 'dim' }], canvas)];
  });
}

function firstOf(text: string): string {
  const [first = ''] = text.slice(0, LONGEST).trim().split('\n');
  return first;
}
