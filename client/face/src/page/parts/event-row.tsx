/** An event as a row: what happened, to what, through whom, when; its particulars on demand. */
import type { NumberedEvent } from '@weft/studio-client';
import { pathTo } from '../core/route.js';
import { inShort } from './event-short.js';
import { Code, shortIds, shortName, titleOf } from './text.js';
import { When } from './time.js';

export function EventRow({ one: { number, event } }: { readonly one: NumberedEvent }) {
  const { kind, by, occurredAt, payloadJson, workUnitId } = event;
  return (
    <li>
      <details>
        <summary class="row">
          <span class="quiet number-of">{number}</span>
          <b class="what">{wordsOf(kind)}</b>
          <span class="grow cut quiet">{titleOf(shortIds(inShort(payloadJson)), 140)}</span>
          <span class="quiet">{shortName(by)}</span>
          <When at={occurredAt} />
        </summary>
        {workUnitId !== undefined && (
          <p class="small">
            of <a href={pathTo('units', workUnitId)}>this work unit</a>
          </p>
        )}
        <Code text={pretty(payloadJson)} label={`Particulars of event ${number}`} />
      </details>
    </li>
  );
}

/** Kind of an event as words: `WorkUnitCreated` is "work unit created". */
export function wordsOf(kind: string): string {
  return kind.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

function pretty(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2);
}
