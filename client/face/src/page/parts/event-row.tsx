/** An event as a row: what happened, to what, through whom, when; its particulars on demand. */
import type { NumberedEvent } from '@weft/studio-client';
import { pathTo } from '../core/route.js';
import { Code, shortName, titleOf } from './text.js';
import { When } from './time.js';

export function EventRow({ one: { number, event } }: { readonly one: NumberedEvent }) {
  const { kind, by, occurredAt, payloadJson, workUnitId } = event;
  return (
    <li>
      <details>
        <summary class="row">
          <span class="quiet number-of">{number}</span>
          <b class="what">{wordsOf(kind)}</b>
          <span class="grow cut quiet">{inShort(payloadJson)}</span>
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

/** The first texts of what an event says that are no ids. */
function inShort(json: string): string {
  const payload: unknown = JSON.parse(json);
  const values = Object.values(typeof payload === 'object' && payload !== null ? payload : {});
  const texts = values.filter((one) => typeof one === 'string').filter((one) => !/^[a-z-]+-[0-9a-f]{8,}$/i.test(one));
  return titleOf(texts.slice(0, 3).join(' · '), 140);
}

function pretty(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2);
}
