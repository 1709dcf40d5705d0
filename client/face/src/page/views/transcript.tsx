/** Transcript of a work unit: what its agent was told, says, while it says it, and does; the end of it kept in sight. */
import type { ConversationLogEntry } from '@weft/studio-client';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { tried } from '../core/act.js';
import { useQuery } from '../core/query.js';
import { studio } from '../core/session.js';
import { useSaid } from '../core/speech.js';
import { Code, Prose, shortIds, titleOf, visible } from '../parts/text.js';
import { When } from '../parts/time.js';
import { Empty, Read, count, many } from '../parts/ui.js';

/** Cycles that are drawn at once; earlier ones are asked for. */
const SHOWN = 100;

export function Transcript({ workUnitId }: { readonly workUnitId: string }) {
  const log = useQuery('workunit-log.conversationLog', { workUnitId });
  return <Read of={log}>{(entries) => <Cycles workUnitId={workUnitId} entries={entries} />}</Read>;
}

function Cycles({
  workUnitId,
  entries,
}: {
  readonly workUnitId: string;
  readonly entries: readonly ConversationLogEntry[];
}) {
  const said = useSaid(workUnitId);
  const [shown, show] = useState(SHOWN);
  useEndInSight(entries, said);
  if (entries.length === 0) return <Empty>No model was asked for it yet.</Empty>;
  const hidden = Math.max(0, entries.length - shown);
  return (
    <>
      {hidden > 0 && (
        <button type="button" onClick={() => show(shown + SHOWN)}>
          {many(hidden, 'step')} before these
        </button>
      )}
      <p>
        <button type="button" onClick={() => void tried(() => takeAway(workUnitId))}>
          Save all of it as a file
        </button>
      </p>
      <ol class="transcript" start={hidden + 1}>
        {entries.slice(hidden).map((entry) => (
          <Cycle key={entry.logId} entry={entry} says={said?.logId === entry.logId ? said.text : ''} />
        ))}
      </ol>
    </>
  );
}

/** Gives the whole transcript as a file to whoever sits here. */
async function takeAway(workUnitId: string): Promise<void> {
  const { fileName, text } = await studio.call('transcript.get', { workUnitId, parts: true });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/markdown' }));
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Distance from the end of the page within which one counts as being there. */
const AT_END = 40;

/** Keeps the end of the page in sight while it grows, for who is there. */
function useEndInSight(...grows: readonly unknown[]): void {
  const { documentElement } = document;
  const isAtEnd = scrollY + innerHeight >= documentElement.scrollHeight - AT_END;
  const isDrawn = useRef(false);
  useLayoutEffect(() => {
    if (isDrawn.current && isAtEnd) scrollTo(0, documentElement.scrollHeight);
    isDrawn.current = true;
  }, grows);
}

/** One turn of an agent and its model; `says` is what it says at this moment, which the entry has once it is whole. */
function Cycle({ entry, says }: { readonly entry: ConversationLogEntry; readonly says: string }) {
  const {
    said,
    notice,
    assistantText,
    toolCalls,
    toolResults,
    refusal,
    occurredAt,
    agentRole,
    inputTokens,
    outputTokens,
  } = entry;
  return (
    <li class="cycle">
      <p class="quiet small">
        {agentRole} · <When at={occurredAt} />
        {inputTokens !== undefined && ` · ${count(inputTokens)} read, ${count(outputTokens ?? 0)} written`}
      </p>
      {said !== undefined && (
        <details>
          <summary>It was told: {titleOf(shortIds(said), 100)}</summary>
          <Prose text={said} lines={40} />
        </details>
      )}
      {notice !== undefined && <p class="notice small">{titleOf(notice, 300)}</p>}
      {assistantText === undefined && says !== '' && (
        <p class="prose speaking" dir="auto" aria-busy="true">
          {visible(says)}
        </p>
      )}
      {assistantText !== undefined && assistantText !== '' && <Prose text={assistantText} lines={20} />}
      {refusal !== undefined && <p class="failed">The model refuses: {titleOf(refusal, 300)}</p>}
      {toolCalls.map(({ toolUseId, name, inputJson }) => {
        const answer = toolResults.find((one) => one.toolUseId === toolUseId);
        return (
          <details key={toolUseId} class="call">
            <summary>
              <b>{titleOf(name.replace(/^svc_v1_/, ''), 60)}</b> <span class="quiet cut">{inShort(inputJson)}</span>{' '}
              {answer?.isError === true && <span class="state bad">refused</span>}
              {answer === undefined && <span class="state moving">running</span>}
            </summary>
            <Code text={pretty(inputJson)} label={`Input of ${titleOf(name, 60)}`} />
            {answer !== undefined && <Code text={answer.result} label={`Answer of ${titleOf(name, 60)}`} />}
          </details>
        );
      })}
    </li>
  );
}

/** What a call is about: a path, a question, or whatever text comes first. */
function inShort(json: string): string {
  try {
    const input: unknown = JSON.parse(json);
    const texts = Object.values(typeof input === 'object' && input !== null ? input : {}).filter(
      (one) => typeof one === 'string',
    );
    return titleOf(texts[0] ?? json, 100);
  } catch {
    return titleOf(json, 100);
  }
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
