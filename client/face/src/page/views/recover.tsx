/** Recover: everything that failed, by cause, and the ways out. */
import type { Attention, DeadLetterEntry } from '@weft/studio-client';
import { useQuery } from '../core/query.js';
import { pathTo } from '../core/route.js';
import { Prose, titleOf } from '../parts/text.js';
import { When } from '../parts/time.js';
import { Empty, Heading, Read, State, many, shortId } from '../parts/ui.js';
import { WaysBack } from './ways-back.js';

export function Recover({ entryId }: { readonly entryId: string | undefined }) {
  const failures = useQuery('dead-letter.list', {});
  const attention = useQuery('attention.list', {});
  const itemOf = (id: string): Attention | undefined =>
    attention.data?.items.find((item) => item.kind === 'failed' && item.id === id);
  return (
    <>
      <Heading title="Recover" />
      <Read of={failures}>
        {(all) => {
          if (all.length === 0) return <Empty>Nothing has failed that nothing was done about.</Empty>;
          const shown = entryId === undefined ? all : all.filter((one) => one.entryId === entryId);
          if (shown.length === 0)
            return (
              <Empty>
                Something was done about this failure. <a href="/recover">All others</a>
              </Empty>
            );
          return [...Map.groupBy(shown, causeOf)].map(([cause, alike]) => (
            <section key={cause} class="card">
              <h2>{titleOf(cause, 160)}</h2>
              {alike.length > 1 && <p class="quiet">{many(alike.length, 'unit')} failed for this.</p>}
              <ul class="plain">
                {alike.map((failed) => {
                  const item = itemOf(failed.entryId);
                  return (
                    <li key={failed.entryId}>
                      <div class="row">
                        <State is={failed.kind} />
                        <a class="grow cut" href={pathTo('units', failed.workUnitId)}>
                          {titleOf(item?.goal ?? shortId(failed.workUnitId))}
                        </a>
                        <span class="quiet">{many(failed.attemptCount, 'attempt')}</span>
                        <When at={failed.occurredAt} />
                      </div>
                      {failed.reason !== cause && <Prose text={failed.reason} lines={6} />}
                      <WaysBack entryId={failed.entryId} ways={item?.actions.map(({ operation }) => operation) ?? []} />
                    </li>
                  );
                })}
              </ul>
            </section>
          ));
        }}
      </Read>
    </>
  );
}

/** First line of why it failed, without what differs between units. */
function causeOf({ reason }: DeadLetterEntry): string {
  return titleOf(reason, 160).replace(/\b[a-z]+-[0-9a-f]{8,}\b/g, '…');
}
