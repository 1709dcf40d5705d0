/** A work unit: what its agent says and does, what it changes, what it was told; and the ways to steer it. */
import type { WorkUnit } from '@weft/studio-client';
import { useState } from 'preact/hooks';
import { act } from '../core/act.js';
import { useQuery } from '../core/query.js';
import { go, pathTo } from '../core/route.js';
import { AtIt } from '../parts/at-it.js';
import { Prose, shortIds, shortName, titleOf } from '../parts/text.js';
import { When } from '../parts/time.js';
import { Does, Empty, Field, Heading, Read, State, Tabs, shortId, stateWords } from '../parts/ui.js';
import { Answers } from './inbox.js';
import { Transcript } from './transcript.js';
import { UnitFiles } from './unit-files.js';

const TABS = ['Transcript', 'Files', 'Results', 'Told', 'Events'] as const;
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
            {shortId(agent.agentId)}: {titleOf(agent.currentActivity ?? agent.status.split(':')[0] ?? '', 80)}
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
      <Waiting workUnitId={workUnitId} />
      {!OVER.has(status) && unit.metadata?.['setUpFailed'] !== undefined && (
        <section class="alert" aria-label="Its folder could not be set up">
          <Prose text={`Its folder could not be set up: ${unit.metadata['setUpFailed']}`} lines={6} />
        </section>
      )}
      {!OVER.has(status) && agent !== undefined && <Steer workUnitId={workUnitId} agentId={agent.agentId} />}
      <Tabs names={TABS} open={tab} onOpen={(name) => go(pathTo('units', workUnitId, name.toLowerCase()))} />
      <div role="tabpanel" aria-label={tab}>
        {tab === 'Transcript' && <Transcript workUnitId={workUnitId} />}
        {tab === 'Files' && <UnitFiles workUnitId={workUnitId} />}
        {tab === 'Results' && <Results workUnitId={workUnitId} />}
        {tab === 'Told' && <Told unit={unit} />}
        {tab === 'Events' && <Events workUnitId={workUnitId} />}
      </div>
    </>
  );
}

/** What waits for a person in this work, to be answered where it stands. */
function Waiting({ workUnitId }: { readonly workUnitId: string }) {
  const { data } = useQuery('attention.list', {});
  return data?.items
    .filter((item) => item.workUnitId === workUnitId && item.kind !== 'paused')
    .map((item) => (
      <section
        key={`${item.kind} ${item.id}`}
        class={item.kind === 'failed' ? 'alert' : 'waits'}
        aria-label={item.kind === 'failed' ? 'It has failed' : 'It waits for you'}
      >
        <Prose text={item.sentence} lines={4} />
        <Answers item={item} />
      </section>
    ));
}

/** A word of a person to an agent: read at its next step, or kept to from the beginning by another one. */
function Steer({ workUnitId, agentId }: { readonly workUnitId: string; readonly agentId: string }) {
  const [text, setText] = useState('');
  const isEmpty = text.trim() === '';
  return (
    <div class="row wrap steer">
      <Field
        label="Steer it, or tell it something"
        name="steer"
        value={text}
        onInput={setText}
        hint="It reads what it is told at its next step. Steered, it is paused, and the work begins again beside it, from its present files."
      />
      <Does
        label="Tell it"
        operation="artifact.record"
        disabled={isEmpty}
        input={{ workUnitId, type: 'Constraint', title: 'A person says', body: text }}
        done="Its agent reads it at its next step"
        after={() => setText('')}
      />
      <Does
        label="Steer"
        operation="steering.redirect"
        disabled={isEmpty}
        input={{ workUnitId, agentId, injectedConstraint: text }}
        done="The work goes the other way"
        after={({ newWorkUnitId }) => go(pathTo('units', newWorkUnitId))}
      />
    </div>
  );
}

function Results({ workUnitId }: { readonly workUnitId: string }) {
  const proposals = useQuery('merge.list', { workUnitId });
  const evidence = useQuery('evidence.list', { workUnitId });
  const conflicts = useQuery('conflict.listOfTask', { workUnitId });
  return (
    <>
      {(conflicts.data?.length ?? 0) > 0 && (
        <>
          <h2>Conflicts</h2>
          <ul class="rows">
            {conflicts.data?.map((one) => (
              <li key={one.conflictId}>
                <AtIt of={one} />
              </li>
            ))}
          </ul>
        </>
      )}
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
                  <State is={success ? 'Passed' : 'Failed'} />
                  <span class="grow">
                    {stateWords(kind)}: {titleOf(shortIds(summary), 200)}
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
                <b>{stateWords(action)}</b>
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
