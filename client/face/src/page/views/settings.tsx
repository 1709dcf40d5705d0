/** Settings: how this studio works, who may reach it, and how this page behaves. */
import type { Options } from '@weft/studio-client';
import { useState } from 'preact/hooks';
import { act, tried } from '../core/act.js';
import { letterKeys, setLetterKeys } from '../core/keys.js';
import { askToNotify, notifies } from '../core/notify.js';
import { useQuery } from '../core/query.js';
import { leave, scope } from '../core/session.js';
import { titleOf } from '../parts/text.js';
import { When } from '../parts/time.js';
import { Does, Empty, Field, Heading, Read, State } from '../parts/ui.js';
import { Offer } from './demonstration.js';

export function Settings() {
  const options = useQuery('option.get', {});
  return (
    <>
      <Heading title="Settings" />
      <ThisPage />
      <Offer />
      <h2>Limits</h2>
      <Read of={options}>{(found) => <Limits key={JSON.stringify(found)} options={found} />}</Read>
      <h2>How work is done</h2>
      <Read of={options}>{(found) => <Switches options={found} />}</Read>
      {scope.value === 'admin' ? (
        <Tokens />
      ) : (
        <p class="quiet">
          Pages and tokens of others are shown to a page that may administer: <code>weft open --scope admin</code>
        </p>
      )}
    </>
  );
}

const MAY: Readonly<Record<string, string>> = {
  read: 'it shows everything, and changes nothing.',
  operate: 'it shows everything, sets goals, decides and lands.',
  admin: 'it does everything, and says who else is let in.',
};

function ThisPage() {
  return (
    <section>
      <h2>This page</h2>
      <p>
        It may <b>{scope.value}</b>: {MAY[scope.value] ?? ''}
      </p>
      <div class="row wrap">
        <label class="row">
          <input
            type="checkbox"
            checked={letterKeys.value}
            onChange={(event) => setLetterKeys(event.currentTarget.checked)}
          />
          Single letters do something
        </label>
        <button type="button" disabled={notifies.value} onClick={() => void askToNotify()}>
          {notifies.value ? 'Notifies you while it is hidden' : 'Notify me while it is hidden'}
        </button>
        <button type="button" class="danger" onClick={() => void tried(leave)}>
          Leave in this browser
        </button>
      </div>
    </section>
  );
}

/** A whole number, or nothing for no limit. */
function limitIn(text: string): number | null | undefined {
  if (text.trim() === '') return null;
  return /^[1-9]\d{0,11}$/.test(text.trim()) ? Number(text) : undefined;
}

function Limits({ options }: { readonly options: Options }) {
  const [tokens, setTokens] = useState(String(options.maxGoalTokens ?? ''));
  const [minutes, setMinutes] = useState(String(options.maxGoalDurationMinutes ?? ''));
  const [workers, setWorkers] = useState(String(options.maxConcurrentWorkers));
  const [mostTokens, mostMinutes, mostWorkers] = [limitIn(tokens), limitIn(minutes), limitIn(workers)];
  const { maxGoalTokens = null, maxGoalDurationMinutes = null, maxConcurrentWorkers } = options;
  const before = { maxGoalTokens, maxGoalDurationMinutes, maxConcurrentWorkers };
  const isGood = mostTokens !== undefined && mostMinutes !== undefined && typeof mostWorkers === 'number';
  return (
    <div class="form">
      <Field label="Tokens of a goal" value={tokens} onInput={setTokens} hint="Empty: any number." />
      <Field label="Minutes of a goal" value={minutes} onInput={setMinutes} hint="Empty: any time." />
      <Field label="Agents at work at once" value={workers} onInput={setWorkers} />
      <Does
        label="Save"
        kind="main"
        disabled={!isGood}
        operation="option.change"
        input={{
          ...(mostTokens === undefined ? {} : { maxGoalTokens: mostTokens }),
          ...(mostMinutes === undefined ? {} : { maxGoalDurationMinutes: mostMinutes }),
          ...(typeof mostWorkers === 'number' ? { maxConcurrentWorkers: mostWorkers } : {}),
        }}
        done="It holds from now on"
        undo={() => act('option.change', before, 'As before')}
      />
    </div>
  );
}

const SWITCHES = [
  ['usePromotionBranch', 'Results land on the candidate branch first'],
  ['requireBuildBeforeProposal', 'What is proposed must build'],
  ['requireTestBeforeProposal', 'Tests of what is proposed must pass'],
  ['allowAutoRequeue', 'Rejected work begins again by itself'],
  ['docFetchTools', 'Agents may read documents on the web'],
] as const;

function Switches({ options }: { readonly options: Options }) {
  return (
    <ul class="rows">
      {SWITCHES.map(([name, does]) => (
        <li key={name} class="row">
          <State is={options[name] ? 'on' : 'off'} />
          <span class="grow">{does}</span>
          <Does
            label={options[name] ? 'Switch off' : 'Switch on'}
            operation="option.change"
            input={{ [name]: !options[name] }}
            done="It holds from now on"
            undo={() => act('option.change', { [name]: options[name] }, 'As before')}
          />
        </li>
      ))}
    </ul>
  );
}

function Tokens() {
  const tokens = useQuery('token.list', {});
  return (
    <>
      <h2>Pages and tokens</h2>
      <Read of={tokens}>
        {(all) =>
          all.length === 0 ? (
            <Empty>There are none but those of the host’s own file.</Empty>
          ) : (
            <ul class="rows">
              {all.map(({ tokenId, label, scope: may, madeAt }) => (
                <li key={tokenId} class="row">
                  <State is={may} />
                  <span class="grow">{titleOf(label)}</span>
                  <When at={madeAt} />
                  <Does
                    label="Revoke"
                    kind="danger"
                    sure="End it now?"
                    operation="token.revoke"
                    input={{ tokenId }}
                    done="Revoked"
                  />
                </li>
              ))}
            </ul>
          )
        }
      </Read>
    </>
  );
}
