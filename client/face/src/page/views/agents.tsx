/** Agents and models: who works, what each kind of agent is told, and which keys are at hand. */
import type { AgentProfile } from '@weft/studio-client';
import { useState } from 'preact/hooks';
import { act } from '../core/act.js';
import { useQuery } from '../core/query.js';
import { pathTo } from '../core/route.js';
import { GiveKey } from '../parts/give-key.js';
import { OnceLive } from '../parts/once-live.js';
import { titleOf } from '../parts/text.js';
import { Does, Empty, Field, Heading, Read, State, count, many, money, shortId } from '../parts/ui.js';
import { ProfileHistory } from './profile-history.js';

export function Agents({ profileId }: { readonly profileId: string | undefined }) {
  if (profileId !== undefined) return <Profile profileId={profileId} />;
  return (
    <>
      <Heading title="Agents and models" />
      <Keys />
      <Profiles />
      <Models />
      <AtWork />
    </>
  );
}

function Keys() {
  const keys = useQuery('credential.list', {});
  const attention = useQuery('attention.list', {});
  const missing = attention.data?.items.filter(({ kind }) => kind === 'key') ?? [];
  const [name, setName] = useState('');
  const [key, setKey] = useState('');
  return (
    <section>
      <h2>Keys</h2>
      {missing.map(({ id, blocks }) => (
        <p key={id} class="failed">
          The key {titleOf(id)} is missing: {many(blocks, 'work unit')} wait for it.
        </p>
      ))}
      <Read of={keys}>
        {(all) =>
          all.length === 0 ? (
            <Empty>The studio holds no key.</Empty>
          ) : (
            <ul class="rows">
              {all.map(({ credentialRef }) => (
                <li key={credentialRef} class="row">
                  <State is="present" />
                  <span class="grow">{titleOf(credentialRef)}</span>
                  <Does
                    label="Forget"
                    kind="danger"
                    sure="Forget it?"
                    operation="credential.evict"
                    input={{ credentialRef }}
                    done="Forgotten"
                  />
                </li>
              ))}
            </ul>
          )
        }
      </Read>
      <div class="row wrap">
        <Field label="Name" value={name} onInput={setName} />
        <Field label="Key" type="password" value={key} onInput={setKey} />
        <GiveKey name={name} secret={key} onGiven={() => setKey('')} />
      </div>
    </section>
  );
}

function Profiles() {
  const profiles = useQuery('agent-profile.list', {});
  return (
    <section>
      <h2>Kinds of agents</h2>
      <Read of={profiles}>
        {(all) => (
          <ul class="rows">
            {all.map(({ agentProfileId, name, stage, maxIterations, allowedTools, executor }) => (
              <li key={agentProfileId} class="row">
                <State is={stage} />
                <a class="grow" href={pathTo('agents', agentProfileId)}>
                  {titleOf(name)}
                </a>
                <span class="quiet">
                  {many(maxIterations, 'step')},{' '}
                  {allowedTools.length === 0 ? 'all tools' : many(allowedTools.length, 'tool')}
                  {executor !== undefined && `, by ${titleOf(executor, 40)}`}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Read>
    </section>
  );
}

function Profile({ profileId }: { readonly profileId: string }) {
  const profile = useQuery('agent-profile.get', { profileId });
  return <Read of={profile}>{(found) => <EditProfile key={found.agentProfileId} profile={found} />}</Read>;
}

function EditProfile({ profile }: { readonly profile: AgentProfile }) {
  const { agentProfileId, name, systemPrompt, maxIterations, allowedTools, stage } = profile;
  const [text, setText] = useState(systemPrompt);
  const [steps, setSteps] = useState(String(maxIterations));
  const isNumber = /^[1-9]\d{0,5}$/.test(steps);
  return (
    <>
      <Heading title={titleOf(name)}>
        <State is={stage} />
        <a href="/agents">all kinds</a>
      </Heading>
      <div class="form">
        <Field label="Steps that it may take" value={steps} onInput={setSteps} />
        <Field label="What it is told" lines={18} value={text} onInput={setText} />
        <p class="quiet">
          Tools:{' '}
          {allowedTools.length === 0 ? 'all that agents may use' : allowedTools.map((tool) => titleOf(tool)).join(', ')}
        </p>
        <Does
          label="Save"
          kind="main"
          disabled={!isNumber || text.trim() === '' || (text === systemPrompt && steps === String(maxIterations))}
          operation="agent-profile.update"
          input={{
            profileId: agentProfileId,
            systemPrompt: text,
            maxIterations: isNumber ? Number(steps) : maxIterations,
          }}
          done="Agents that begin from now on are told so"
          undo={() =>
            act('agent-profile.update', { profileId: agentProfileId, systemPrompt, maxIterations }, 'As before')
          }
        />
        <OnceLive>
          <ProfileHistory profileId={agentProfileId} onText={setText} />
        </OnceLive>
      </div>
    </>
  );
}

/** Days of which it is said which models were asked. */
const DAYS = 30;

function Models() {
  const spending = useQuery('spending.list', { days: DAYS });
  return (
    <section>
      <h2>Models</h2>
      <Read of={spending}>
        {({ models }) =>
          models.length === 0 ? (
            <Empty>
              None was asked in {DAYS} days. Who asks which is said in the host’s file of models:{' '}
              <code>weft doctor</code> shows what holds.
            </Empty>
          ) : (
            <ul class="rows">
              {models.map(({ provider = '', model = '', turns, tokens, costUsd }) => (
                <li key={`${provider} ${model}`} class="row wrap">
                  <b class="grow">{titleOf(`${provider} ${model}`)}</b>
                  <span class="quiet">
                    {many(turns, 'question')}, {count(tokens)} tokens, {money(costUsd)}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Read>
    </section>
  );
}

function AtWork() {
  const agents = useQuery('agent.list', { all: true });
  return (
    <section>
      <h2>Agents</h2>
      <Read of={agents}>
        {(all) =>
          all.length === 0 ? (
            <Empty>No agent has worked here yet.</Empty>
          ) : (
            <ul class="rows">
              {[...all].reverse().map(({ agentId, workUnitId, status, currentActivity, usage }) => (
                <li key={agentId} class="row">
                  <State is={titleOf(status.split(':')[0] ?? status, 24)} />
                  <span class="grow cut">
                    {shortId(agentId)}{' '}
                    <span class="quiet">{titleOf(currentActivity ?? status.split(':').slice(1).join(':'), 100)}</span>
                  </span>
                  <a href={pathTo('units', workUnitId)}>work unit</a>
                  <span class="quiet">
                    {usage === undefined ? '' : `${many(usage.turns, 'turn')}, ${money(usage.costUsd)}`}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Read>
    </section>
  );
}
