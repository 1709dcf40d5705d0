/** Who may do what in a room: its lock, its policy with a tester, tokens that are made and revoked. */
import { useState } from 'preact/hooks';
import { Code, visible } from '../parts/text.js';
import { Choose, Empty, Field } from '../parts/ui.js';
import { say } from './client.js';
import { Says } from './says.js';
import { shortKey } from './show.js';
import type { Words } from './words.js';

type About = Words['room-inspect']['output'];
type Policy = NonNullable<About['policy']>;

const PUBLIC_KEY = /^[0-9a-f]{64}$/i;

export function Rights({ about }: { readonly about: About }) {
  return (
    <>
      <Lock about={about} />
      <Tester room={about.room} policy={about.policy} />
      <PolicyTable room={about.room} policy={about.policy} />
      <Tokens about={about} />
    </>
  );
}

function Lock({ about: { room, is_locked: isLocked, locked_with: key } }: { readonly about: About }) {
  return (
    <section aria-label="Lock">
      <h2>Lock</h2>
      {isLocked === true ? (
        <>
          <p>
            Only peers with a token enter, signed by the server or by <code title={key}>{shortKey(key ?? '')}</code>.
          </p>
          <Says
            label="Unlock"
            word="room-unlock"
            input={{ room }}
            done="Everybody may enter"
            sure="Let everybody in?"
          />
        </>
      ) : (
        <>
          <p>Everybody may enter whom the server lets in.</p>
          <Says
            label="Lock"
            word="room-lock"
            input={{ room }}
            done="Locked: peers without a token have gone"
            sure="Peers without a token have to go. Lock?"
          />
        </>
      )}
    </section>
  );
}

const BY: Readonly<Record<string, string>> = {
  authority: 'it administers the room',
  'no policy': 'the room has no policy',
  default: 'no rule matches, so the default decides',
  rule: '',
};

function Tester({ room, policy }: { readonly room: string; readonly policy: Policy | undefined }) {
  const [peer, setPeer] = useState('');
  const [key, setKey] = useState('');
  const [answer, setAnswer] = useState('');
  const ask = async (): Promise<void> => {
    try {
      const { allowed, by, rule } = await say('room-may', { room, peer: peer.trim(), key });
      const glob = rule === undefined ? '' : (policy?.rules[rule]?.path_glob ?? '');
      const why = rule === undefined ? (BY[by] ?? by) : `rule ${rule + 1} decides: ${visible(glob)}`;
      setAnswer(`${allowed ? 'Yes' : 'No'}: ${why}.`);
    } catch (error) {
      setAnswer(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <section aria-label="May a key write a path?">
      <h2>May a key write a path?</h2>
      <form
        class="row wrap tester"
        onSubmit={(event) => {
          event.preventDefault();
          void ask();
        }}
      >
        <Field label="Public key of the peer" name="tester-peer" value={peer} onInput={setPeer} />
        <Field label="Path" name="tester-key" value={key} onInput={setKey} />
        <button type="submit" class="main" disabled={!PUBLIC_KEY.test(peer.trim()) || key === ''}>
          Ask
        </button>
      </form>
      <p role="status" class="tested">
        {answer}
      </p>
    </section>
  );
}

function PolicyTable({ room, policy }: { readonly room: string; readonly policy: Policy | undefined }) {
  const [draft, setDraft] = useState<string | undefined>(undefined);
  const wanted = policyIn(draft ?? '');
  return (
    <section aria-label="Policy">
      <h2>Policy</h2>
      {policy === undefined ? (
        <Empty>There is none: whoever is in may write everywhere.</Empty>
      ) : (
        <table>
          <thead>
            <tr>
              <th>Rule</th>
              <th>Keys</th>
              <th>May write</th>
            </tr>
          </thead>
          <tbody>
            {policy.rules.map(({ path_glob, can_write }, at) => (
              <tr key={at}>
                <td>{at + 1}</td>
                <td>
                  <code>{visible(path_glob)}</code>
                </td>
                <td>
                  {can_write.length === 0 && 'nobody'}
                  {can_write.map((key) => (
                    <code key={key} title={key} class="peer-key">
                      {shortKey(key)}{' '}
                    </code>
                  ))}
                </td>
              </tr>
            ))}
            <tr>
              <td />
              <td>all others</td>
              <td>{policy.default === 'allow' ? 'everybody' : 'nobody'}</td>
            </tr>
          </tbody>
        </table>
      )}
      {draft === undefined ? (
        <button
          type="button"
          onClick={() => setDraft(JSON.stringify(policy ?? { default: 'allow', rules: [] }, null, 2))}
        >
          Change the policy
        </button>
      ) : (
        <div class="form">
          <Field
            label="Policy"
            name="policy"
            lines={12}
            value={draft}
            onInput={setDraft}
            hint="default: allow or deny. rules: the first whose path_glob matches a key says by can_write which public keys may write there."
          />
          <div class="row">
            <Says
              label="Set it"
              kind="main"
              word="room-policy"
              input={{ room, ...(wanted === undefined ? {} : { policy: wanted }) }}
              disabled={wanted === undefined}
              done="It holds from now on"
              sure="Who is not in it may not write from now on. Set it?"
              after={() => setDraft(undefined)}
            />
            <button type="button" onClick={() => setDraft(undefined)}>
              Discard
            </button>
          </div>
          {wanted === undefined && <p class="failed">This is no JSON object with default and rules.</p>}
        </div>
      )}
    </section>
  );
}

function policyIn(text: string): Words['room-policy']['input']['policy'] {
  try {
    const found: unknown = JSON.parse(text);
    if (typeof found !== 'object' || found === null || !('default' in found) || !('rules' in found)) return undefined;
    // The server says what else is wrong with it.
    return found as Words['room-policy']['input']['policy'];
  } catch {
    return undefined;
  }
}

const TIMES = [
  ['1h', 'an hour'],
  ['1d', 'a day'],
  ['30d', 'thirty days'],
] as const;

function Tokens({ about: { room, revoked = [] } }: { readonly about: About }) {
  const [peer, setPeer] = useState('');
  const [caps, setCaps] = useState('');
  const [ttl, setTtl] = useState<string>('1h');
  const [made, setMade] = useState<string | undefined>(undefined);
  const isKey = PUBLIC_KEY.test(peer.trim());
  const named = caps.split(/[\s,]+/).filter((cap) => cap !== '');
  return (
    <section aria-label="Tokens">
      <h2>Tokens</h2>
      <div class="form">
        <Field label="Public key of the peer" name="token-peer" value={peer} onInput={setPeer} />
        <Field
          label="Rights"
          name="token-caps"
          value={caps}
          onInput={setCaps}
          hint="Such as room.admin, read:docs/**, write:docs/**; none for a peer that reads and writes everywhere."
        />
        <Choose label="Holds for" name="token-ttl" value={ttl} options={TIMES} onChange={setTtl} />
        <div class="row wrap">
          <Says
            label="Make a token"
            kind="main"
            word="room-token"
            input={{ room, peer: peer.trim(), caps: named, ttl }}
            disabled={!isKey}
            done="Made"
            after={(token) => setMade(JSON.stringify(token))}
          />
          <Says
            label="Revoke those it has"
            kind="danger"
            word="room-revoke"
            input={{ room, peer: peer.trim() }}
            disabled={!isKey}
            done="Revoked"
            sure="It has to go, and its tokens are worth nothing. Revoke?"
          />
        </div>
      </div>
      {made !== undefined && (
        <>
          <p>For that peer alone, to show in its hello:</p>
          <Code text={made} label="Token" />
        </>
      )}
      {revoked.length > 0 && (
        <table>
          <caption>Revoked</caption>
          <thead>
            <tr>
              <th>Peer</th>
              <th>Tokens that expire before</th>
            </tr>
          </thead>
          <tbody>
            {revoked.map(({ peer: key, before }) => (
              <tr key={key}>
                <td>
                  <code title={key}>{shortKey(key)}</code>
                </td>
                <td>{new Date(before * 1000).toISOString().slice(0, 16).replace('T', ' ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
