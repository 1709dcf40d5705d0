/** History of a kind of agent: who changed it when, to what; an earlier text can be taken up again. Read back through the record in steps. */
import type { NumberedEvent } from '@weft/studio-client';
import { useRef, useState } from 'preact/hooks';
import { seen } from '../core/live.js';
import { pastEvents } from '../core/past.js';
import { shortName, titleOf } from '../parts/text.js';
import { When } from '../parts/time.js';
import { Empty, count } from '../parts/ui.js';

/** Events that are looked through with each step. */
const STEP = 2_000;

interface Change {
  readonly number: number;
  readonly by: string;
  readonly at: string;
  /** Names of what was changed. */
  readonly fields: readonly string[];
  readonly systemPrompt: string | undefined;
}

export function ProfileHistory({
  profileId,
  onText,
}: {
  readonly profileId: string;
  readonly onText: (systemPrompt: string) => void;
}) {
  const [changes, setChanges] = useState<readonly Change[]>([]);
  /** Event before which nothing was looked through yet; undefined before the first step. */
  const [before, setBefore] = useState<number>();
  const [isReading, setReading] = useState(false);
  const stop = useRef(new AbortController());
  const look = async (upTo: number): Promise<void> => {
    setReading(true);
    const from = Math.max(0, upTo - STEP);
    const found = await pastEvents(from, upTo, stop.current.signal);
    setChanges((known) => [...known, ...changesIn(found, profileId).reverse()]);
    setBefore(from);
    setReading(false);
  };
  return (
    <details
      onToggle={({ currentTarget: { open } }) => {
        if (open && before === undefined && !isReading) void look(seen.value);
      }}
    >
      <summary>History</summary>
      {changes.length === 0 && before === 0 && <Empty>Nobody has changed it: it is as it came.</Empty>}
      <ul class="rows">
        {changes.map(({ number, by, at, fields, systemPrompt }) => (
          <li key={number} class="row wrap">
            <b class="grow">{fields.join(', ')}</b>
            <span class="quiet">{shortName(by)}</span>
            <When at={at} />
            {systemPrompt !== undefined && (
              <button type="button" onClick={() => onText(systemPrompt)}>
                Take up this text
              </button>
            )}
          </li>
        ))}
      </ul>
      {before !== undefined && before > 0 && (
        <button type="button" disabled={isReading} onClick={() => void look(before)}>
          {isReading ? 'Reading …' : `Look before event ${count(before)}, too`}
        </button>
      )}
    </details>
  );
}

const FIELDS: Readonly<Record<string, string>> = {
  systemPrompt: 'what it is told',
  maxIterations: 'steps',
  allowedTools: 'tools',
  fileScopePatterns: 'files',
  executor: 'who runs it',
  roles: 'what it is told of repositories',
};

function changesIn(events: readonly NumberedEvent[], profileId: string): Change[] {
  return events.flatMap(({ number, event: { kind, by, occurredAt: at, payloadJson } }) => {
    if (kind !== 'AgentProfileChanged' && kind !== 'AgentProfileCreated') return [];
    const { agentProfileId, systemPrompt, ...others } = JSON.parse(payloadJson) as Readonly<Record<string, unknown>>;
    if (agentProfileId !== profileId) return [];
    const changed = [...(systemPrompt === undefined ? [] : ['systemPrompt']), ...Object.keys(others)];
    const fields = changed.filter((name) => name !== 'type' && name !== 'v').map((name) => FIELDS[name] ?? name);
    return [{ number, by, at, fields: fields.map((one) => titleOf(one, 40)), systemPrompt: textIn(systemPrompt) }];
  });
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
