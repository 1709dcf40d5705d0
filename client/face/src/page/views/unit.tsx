/** A work unit: what its agent says and does, what it changes, what it was told; and the ways to steer it. */
import type { ConversationLogEntry, WorkUnit } from '@weft/studio-client';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { act } from '../core/act.js';
import { useQuery } from '../core/query.js';
import { go, pathTo } from '../core/route.js';
import { studio } from '../core/session.js';
import { useSaid } from '../core/speech.js';
import { Code, Prose, shortName, titleOf, visible } from '../parts/text.js';
import { When } from '../parts/time.js';
import { Does, Empty, Field, Heading, Read, State, Tabs, count, many, shortId } from '../parts/ui.js';
import { WaysBack } from './ways-back.js';

const TABS = ['Transcript', 'Results', 'Told', 'Events'] as const;
const OVER: ReadonlySet<string> = new Set(['Completed', 'Merged', 'Cancelled']);

export function Unit({ workUnitId, tab }: { readonly workUnitId: string; readonly tab: string | undefined }) {
  const unit = useQuery('workunit.get', { workUnitId });
  return <Read of={unit}>{(found) => <UnitView unit={found} tab={tab} />}</Read>;
}

function UnitView({ unit, tab: asked }: { readonly unit: WorkUnit; readonly tab: string | undefined }) {
  const { workUnitId, goal, status, branchId, parentWorkUnitId } = unit;
  const tab = TABS.find((name) => name.toLowerCase() === asked) ?? 'Transcript';
  const agents = useQuery('agent.list', { all: true });
  const agent = agents.data?.findLast((one) => one.workUnitId === workUnitId);
  const isPaused = agent?.status.startsWith('paused') ?? false;
  return (
    <>
      <Heading title={titleOf(goal)}>
        <State is={status} />
        {agent !== undefined && (
          <span class="quiet">
            {shortId(agent.agentId)}: {titleOf(agent.currentActivity ?? agent.status, 80)}
          </span>
        )}
        {agent !== undefined && !OVER.has(status) && (
          <>
            {isPaused ? (
              <Does
                label="Go on"
                operation="agent.resume"
                input={{ agentId: agent.agentId }}
                done="It goes on"
                undo={() => act('agent.pause', { agentId: agent.agentId }, 'It stops at its next step')}
              />
            ) : (
              agent.status === 'active' && (
                <Does
                  label="Pause"
                  operation="agent.pause"
                  input={{ agentId: agent.agentId }}
                  done="It stops at its next step"
                  undo={() => act('agent.resume', { agentId: agent.agentId }, 'It goes on')}
                />
              )
            )}
          </>
        )}
        {!OVER.has(status) && (
          <Does
            label="Stop"
            kind="danger"
            sure="Stop this work for good?"
            operation="workunit.cancel"
            input={{ workUnitId }}
            done="Stopped"
          />
        )}
      </Heading>
      <p class="quiet small">
        branch <code title={branchId}>{shortName(branchId)}</code>
        {parentWorkUnitId !== undefined && (
          <>
            {' '}
            · part of <a href={pathTo('units', parentWorkUnitId)}>{shortId(parentWorkUnitId)}</a>
          </>
        )}
      </p>
      <Failure workUnitId={workUnitId} />
      {!OVER.has(status) && unit.metadata?.['setUpFailed'] !== undefined && (
        <section class="alert" aria-label="Its folder could not be set up">
          <Prose text={`Its folder could not be set up: ${unit.metadata['setUpFailed']}`} lines={6} />
        </section>
      )}
      {!OVER.has(status) && agent !== undefined && <Steer workUnitId={workUnitId} agentId={agent.agentId} />}
      <Tabs names={TABS} open={tab} onOpen={(name) => go(pathTo('units', workUnitId, name.toLowerCase()))} />
      <div role="tabpanel" aria-label={tab}>
        {tab === 'Transcript' && <Transcript workUnitId={workUnitId} />}
        {tab === 'Results' && <Results workUnitId={workUnitId} />}
        {tab === 'Told' && <Told unit={unit} />}
        {tab === 'Events' && <Events workUnitId={workUnitId} />}
      </div>
    </>
  );
}

function Failure({ workUnitId }: { readonly workUnitId: string }) {
  const { data } = useQuery('attention.list', {});
  const failed = data?.items.find((item) => item.kind === 'failed' && item.workUnitId === workUnitId);
  if (!failed) return null;
  return (
    <section class="alert" aria-label="It has failed">
      <Prose text={failed.sentence} lines={4} />
      <WaysBack entryId={failed.id} ways={failed.actions.map(({ operation }) => operation)} />
    </section>
  );
}

function Steer({ workUnitId, agentId }: { readonly workUnitId: string; readonly agentId: string }) {
  const [text, setText] = useState('');
  return (
    <div class="row wrap steer">
      <Field
        label="Steer it: what has to be kept to"
        name="steer"
        value={text}
        onInput={setText}
        hint="Its agent is paused, and the work begins again beside it, from its present files."
      />
      <Does
        label="Steer"
        operation="steering.redirect"
        disabled={text.trim() === ''}
        input={{ workUnitId, agentId, injectedConstraint: text }}
        done="The work goes the other way"
        after={({ newWorkUnitId }) => go(pathTo('units', newWorkUnitId))}
      />
    </div>
  );
}

/** Cycles that are drawn at once; earlier ones are asked for. */
const SHOWN = 100;

function Transcript({ workUnitId }: { readonly workUnitId: string }) {
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
        <button type="button" onClick={() => void takeAway(workUnitId)}>
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
          <summary>It was told: {titleOf(said, 100)}</summary>
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

function Results({ workUnitId }: { readonly workUnitId: string }) {
  const proposals = useQuery('merge.list', { workUnitId });
  const evidence = useQuery('evidence.list', { workUnitId });
  return (
    <>
      <h2>Proposals</h2>
      <Read of={proposals}>
        {(own) => {
          if (own.length === 0) return <Empty>It has proposed nothing yet.</Empty>;
          return (
            <ul class="rows">
              {own.map(({ proposalId, summary, status, updatedAt }) => (
                <li key={proposalId} class="row">
                  <State is={status} />
                  <a class="grow cut" href={pathTo('reviews', proposalId)}>
                    {titleOf(summary)}
                  </a>
                  <When at={updatedAt} />
                </li>
              ))}
            </ul>
          );
        }}
      </Read>
      <h2>Evidence</h2>
      <Read of={evidence}>
        {({ evidence: all }) =>
          all.length === 0 ? (
            <Empty>Nothing was checked yet.</Empty>
          ) : (
            <ul class="rows">
              {all.map(({ evidenceId, kind, summary, success, attachedAt }) => (
                <li key={evidenceId} class="row">
                  <State is={success ? 'Completed' : 'Failed'} />
                  <span class="grow">
                    {kind}: {titleOf(summary, 200)}
                  </span>
                  <When at={attachedAt} />
                </li>
              ))}
            </ul>
          )
        }
      </Read>
    </>
  );
}

function Told({ unit }: { readonly unit: WorkUnit }) {
  const { workUnitId, goal, successCriteria, fileScope } = unit;
  const log = useQuery('workunit-log.conversationLog', { workUnitId });
  const system = log.data?.findLast((entry) => entry.systemText !== undefined)?.systemText;
  return (
    <>
      <h2>Its goal</h2>
      <Prose text={goal} lines={40} />
      {successCriteria !== undefined && (
        <>
          <h2>How to tell that it is done</h2>
          <Prose text={successCriteria} lines={20} />
        </>
      )}
      <h2>Files that it may change</h2>
      <p>{fileScope.length === 0 ? 'All.' : fileScope.map((glob) => titleOf(glob)).join(', ')}</p>
      {system !== undefined && (
        <>
          <h2>What its agent is told</h2>
          <Prose text={system} lines={20} />
        </>
      )}
    </>
  );
}

function Events({ workUnitId }: { readonly workUnitId: string }) {
  const events = useQuery('workunit-log.orchestrationEvents', { workUnitId });
  return (
    <Read of={events}>
      {(all) =>
        all.length === 0 ? (
          <Empty>Nothing was decided about it yet.</Empty>
        ) : (
          <ul class="rows">
            {all.map(({ eventId, action, reason, occurredAt }) => (
              <li key={eventId} class="row">
                <b>{action}</b>
                <span class="grow">{titleOf(reason ?? '', 200)}</span>
                <When at={occurredAt} />
              </li>
            ))}
          </ul>
        )
      }
    </Read>
  );
}
