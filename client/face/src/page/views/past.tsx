/** Time: any moment of the record, what happened around it, and which work was under way then; from there another way can begin. */
import type { NumberedEvent } from '@weft/studio-client';
import { useEffect, useState } from 'preact/hooks';
import { seen } from '../core/live.js';
import { pastEvents } from '../core/past.js';
import { useQuery } from '../core/query.js';
import { go, pathTo, route } from '../core/route.js';
import { EventRow } from '../parts/event-row.js';
import { OnceLive } from '../parts/once-live.js';
import { titleOf } from '../parts/text.js';
import { When } from '../parts/time.js';
import { Choose, Does, Empty, Field, Heading, Read, State, count, shortId } from '../parts/ui.js';
import { WaysThen } from './ways-then.js';

/** Sessions that are shown at first, the newest ones, and with each step. */
const SESSIONS = 20;
/** Events that are shown before the moment. */
const AROUND = 40;

export function Past() {
  return (
    <OnceLive>
      <Moment />
    </OnceLive>
  );
}

function Moment() {
  const last = seen.value;
  // The newest moment is that of opening: what happens meanwhile does not carry it along.
  const [newest] = useState(last);
  const asked = Number(route.value.query.get('at') ?? newest);
  const at = Math.min(Math.max(1, Number.isInteger(asked) ? asked : newest), Math.max(1, last));
  const [events, setEvents] = useState<readonly NumberedEvent[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    void pastEvents(Math.max(0, at - AROUND), at, stop.signal).then((found) => {
      if (!stop.signal.aborted) setEvents(found);
    });
    return () => stop.abort();
  }, [at]);
  /** Where the slider is moved to, until it is let go. */
  const [moving, setMoving] = useState<number>();
  const shown = events.at(-1);
  return (
    <>
      <Heading title="Time">
        {shown && (
          <span class="quiet">
            event {count(shown.number)} of {count(last)} · <When at={shown.event.occurredAt} />
          </span>
        )}
      </Heading>
      <label class="field scrub">
        <span>Moment: what stands here is the past, and is not changed by looking</span>
        <input
          type="range"
          min={1}
          max={Math.max(1, last)}
          value={moving ?? at}
          onInput={(event) => setMoving(Number(event.currentTarget.value))}
          onChange={(event) => {
            setMoving(undefined);
            go(`/time?at=${event.currentTarget.value}`);
          }}
        />
      </label>
      <div>
        <section aria-labelledby="then">
          <h2 id="then">Under way then</h2>
          <UnderWay at={at} />
        </section>
        {shown && (
          <section aria-labelledby="ways">
            <h2 id="ways">Ways that were proposed</h2>
            <WaysThen until={shown.event.occurredAt} />
          </section>
        )}
        <section aria-labelledby="before">
          <h2 id="before">What happened up to it</h2>
          <ul class="rows events">
            {[...events].reverse().map((one) => (
              <EventRow key={one.number} one={one} />
            ))}
          </ul>
        </section>
      </div>
    </>
  );
}

function UnderWay({ at }: { readonly at: number }) {
  const sessions = useQuery('session.list', {});
  const [most, setMost] = useState(SESSIONS);
  return (
    <Read of={sessions}>
      {(all) =>
        all.length === 0 ? (
          <Empty>No goal has run in a session yet.</Empty>
        ) : (
          <>
            {all
              .slice(-most)
              .reverse()
              .map(({ sessionId, goal, rootWorkUnitId }) => (
                <OfSession key={sessionId} sessionId={sessionId} rootWorkUnitId={rootWorkUnitId} goal={goal} at={at} />
              ))}
            {all.length > most && (
              <button type="button" onClick={() => setMost(most + SESSIONS)}>
                {count(all.length - most)} older ones, too
              </button>
            )}
          </>
        )
      }
    </Read>
  );
}

function OfSession({
  sessionId,
  rootWorkUnitId,
  goal,
  at,
}: {
  readonly sessionId: string;
  readonly rootWorkUnitId: string;
  /** What is tried in it, where it was forked from another. */
  readonly goal: string | undefined;
  readonly at: number;
}) {
  const state = useQuery('session.state', { sessionId, upToEvent: `ev-${at}` });
  const units = useQuery('workunit.list', { sessionId });
  const root = units.data?.find(({ workUnitId }) => workUnitId === rootWorkUnitId);
  return (
    <Read of={state}>
      {({ activeWorkUnitIds, artifactIds }) => (
        <>
          <h3>{titleOf(goal ?? root?.goal ?? shortId(sessionId))}</h3>
          <p class="quiet small">
            {shortId(sessionId)}: {activeWorkUnitIds.length === 0 ? 'nothing was under way' : 'under way'}
            {artifactIds.length > 0 && `, ${count(artifactIds.length)} recorded`}
          </p>
          <FromHere sessionId={sessionId} at={at} />
          <ul class="rows">
            {activeWorkUnitIds.map((workUnitId) => {
              const unit = units.data?.find((one) => one.workUnitId === workUnitId);
              return (
                <li key={workUnitId}>
                  <div class="row">
                    <a class="grow cut" href={pathTo('units', workUnitId)}>
                      {titleOf(unit?.goal ?? workUnitId)}
                    </a>
                    {unit && (
                      <span class="quiet">
                        now <State is={unit.status} />
                      </span>
                    )}
                  </div>
                  <AnotherWay workUnitId={workUnitId} />
                </li>
              );
            })}
          </ul>
        </>
      )}
    </Read>
  );
}

/** Begins another session at a moment, over what was under way then. */
function FromHere({ sessionId, at }: { readonly sessionId: string; readonly at: number }) {
  const [goal, setGoal] = useState('');
  return (
    <details>
      <summary>Fork from this moment</summary>
      <div class="form">
        <Field label="What is tried instead" name={`fork-${sessionId}`} value={goal} onInput={setGoal} />
        <Does
          label="Fork here"
          kind="main"
          operation="session.branch"
          input={{ sessionId, parentEventId: `ev-${at}`, ...(goal.trim() === '' ? {} : { goal: goal.trim() }) }}
          done="Another session has begun at this moment"
        />
      </div>
    </details>
  );
}

/** Begins work beside a unit, under a rule of one's own. */
function AnotherWay({ workUnitId }: { readonly workUnitId: string }) {
  const profiles = useQuery('agent-profile.list', {});
  const [rule, setRule] = useState('');
  const [profileId, setProfile] = useState('worker');
  return (
    <details>
      <summary>Begin another way beside it</summary>
      <div class="form">
        <Field label="What has to be kept to there" lines={2} value={rule} onInput={setRule} />
        <Choose
          label="Who does it"
          value={profileId}
          options={(profiles.data ?? []).map((one) => [one.agentProfileId, titleOf(one.name)] as const)}
          onChange={setProfile}
        />
        <Does
          label="Begin"
          kind="main"
          disabled={rule.trim() === ''}
          operation="steering.forkFromNode"
          input={{ workUnitId, constraintText: rule, profileId }}
          done="Another way has begun"
          after={({ newWorkUnitId }) => go(pathTo('units', newWorkUnitId))}
        />
      </div>
    </details>
  );
}
