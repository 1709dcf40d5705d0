/** Knowledge: what was found, the rules that agents are told, what was recorded, and who decided what. */
import type { ConstraintRow, Finding } from '@weft/studio-client';
import { useState } from 'preact/hooks';
import { act } from '../core/act.js';
import { useQuery, useSteady } from '../core/query.js';
import { go, pathTo } from '../core/route.js';
import { More, useNewest } from '../parts/newest.js';
import { Prose, titleOf } from '../parts/text.js';
import { When } from '../parts/time.js';
import { Does, Empty, Field, Heading, Read, State, Tabs, shortId } from '../parts/ui.js';
import { Memories } from './memories.js';

const TABS = ['Rules', 'Memory', 'Findings', 'Records', 'Decisions'] as const;

export function Knowledge({ rest: [asked] }: { readonly rest: readonly string[] }) {
  const tab = TABS.find((name) => name.toLowerCase() === asked) ?? 'Rules';
  return (
    <>
      <Heading title="Knowledge" />
      <Tabs names={TABS} open={tab} onOpen={(name) => go(pathTo('knowledge', name.toLowerCase()))} />
      <div role="tabpanel" aria-label={tab}>
        {tab === 'Rules' && <Rules />}
        {tab === 'Memory' && <Memories />}
        {tab === 'Findings' && <Findings />}
        {tab === 'Records' && <Records />}
        {tab === 'Decisions' && <Decisions />}
      </div>
    </>
  );
}

function Rules() {
  const rules = useQuery('constraint.list', {});
  const [title, setTitle] = useState('');
  const [body, setBody] = useState('');
  return (
    <>
      <Read of={rules}>
        {(all) =>
          all.length === 0 ? (
            <Empty>Agents are told no rule yet.</Empty>
          ) : (
            <ul class="rows">
              {all.map((rule) => (
                <Rule key={rule.artifactId} rule={rule} />
              ))}
            </ul>
          )
        }
      </Read>
      <h2>Add a rule</h2>
      <div class="form">
        <Field label="In short" value={title} onInput={setTitle} />
        <Field label="The rule, as agents are told it" lines={4} value={body} onInput={setBody} />
        <Does
          label="Add"
          kind="main"
          disabled={title.trim() === '' || body.trim() === ''}
          operation="constraint.create"
          input={{ title, body }}
          done="Agents are told from now on"
          after={() => {
            setTitle('');
            setBody('');
          }}
        />
      </div>
    </>
  );
}

function Rule({ rule }: { readonly rule: ConstraintRow }) {
  const { artifactId, title, body, reach, enabled, appliesToAllRepos } = rule;
  return (
    <li>
      <div class="row">
        <b class="grow">{titleOf(title ?? artifactId)}</b>
        <span class="quiet">
          {reach === 'Workgroup' ? 'for everybody' : 'for this host'},{' '}
          {appliesToAllRepos ? 'all repositories' : 'one repository'}
        </span>
        <Does
          label={enabled ? 'Leave out here' : 'Tell again'}
          operation="constraint.toggle"
          input={{ artifactId, disabled: enabled }}
          done={enabled ? 'Left out on this host' : 'Told again'}
          undo={() => act('constraint.toggle', { artifactId, disabled: !enabled }, enabled ? 'Told again' : 'Left out')}
        />
      </div>
      {body !== undefined && <Prose text={body} lines={3} />}
    </li>
  );
}

function Findings() {
  const findings = useQuery('finding.list', {});
  return (
    <Read of={findings}>
      {(all) =>
        all.length === 0 ? (
          <Empty>Nothing was found in the record yet.</Empty>
        ) : (
          <ul class="rows">
            {all.map((finding) => (
              <Found key={finding.findingId} finding={finding} />
            ))}
          </ul>
        )
      }
    </Read>
  );
}

function Found({ finding }: { readonly finding: Finding }) {
  const { findingId, title, summary, status, source, createdAt } = finding;
  return (
    <li>
      <div class="row wrap">
        <State is={status} />
        <b class="grow">{titleOf(title)}</b>
        <span class="quiet">{source}</span>
        <When at={createdAt} />
      </div>
      <Prose text={summary} lines={3} />
      {(status === 'Open' || status === 'Investigating') && (
        <div class="row wrap">
          <Does
            label="Make it a rule"
            operation="finding.review"
            input={{ findingId, decision: 'promote' }}
            done="It is a rule"
          />
          <Does
            label="Dismiss"
            operation="finding.review"
            input={{ findingId, decision: 'dismiss' }}
            done="Dismissed"
          />
        </div>
      )}
    </li>
  );
}

function Records() {
  const [words, setWords] = useState('');
  const wanted = words.trim();
  const [newest, more] = useNewest();
  const artifacts = useSteady(useQuery('artifact.list', wanted === '' ? { newest } : { keywords: wanted, newest }));
  return (
    <>
      <Field label="With these words" value={words} onInput={setWords} />
      <Read of={artifacts}>
        {(all) =>
          all.length === 0 ? (
            <Empty>Nothing was recorded.</Empty>
          ) : (
            <>
              <ul class="rows">
                {[...all].reverse().map(({ artifactId, type, status, title, body, ownedByWorkUnitId, createdAt }) => (
                  <li key={artifactId}>
                    <div class="row">
                      <State is={status} />
                      <span class="quiet">{type}</span>
                      <b class="grow cut">{titleOf(title ?? artifactId)}</b>
                      {ownedByWorkUnitId !== undefined && <a href={pathTo('units', ownedByWorkUnitId)}>work unit</a>}
                      <When at={createdAt} />
                    </div>
                    {body !== undefined && body !== '' && <Prose text={body} lines={2} />}
                  </li>
                ))}
              </ul>
              <More shown={all.length} newest={newest} onMore={more} />
            </>
          )
        }
      </Read>
    </>
  );
}

function Decisions() {
  const [newest, more] = useNewest();
  const decisions = useSteady(useQuery('decision.list', { newest }));
  const proposals = useQuery('merge.list', { newest: 1000 });
  const names = new Map((proposals.data ?? []).map((one) => [one.proposalId, one.summary]));
  return (
    <Read of={decisions}>
      {({ decisions: all }) =>
        all.length === 0 ? (
          <Empty>Nothing was decided yet.</Empty>
        ) : (
          <>
            <ul class="rows">
              {[...all].reverse().map(({ decisionId, proposalId, outcome, reviewerAgentId, rationale, decidedAt }) => (
                <li key={decisionId}>
                  <div class="row">
                    <State is={outcome} />
                    <a class="grow" href={pathTo('reviews', proposalId)}>
                      {titleOf(rationale ?? names.get(proposalId) ?? shortId(proposalId))}
                    </a>
                    <span class="quiet">{reviewerAgentId === undefined ? 'a person' : 'an agent'}</span>
                    {decidedAt !== undefined && <When at={decidedAt} />}
                  </div>
                </li>
              ))}
            </ul>
            <More shown={all.length} newest={newest} onMore={more} />
          </>
        )
      }
    </Read>
  );
}
