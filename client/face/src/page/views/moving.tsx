/** What moves: agents at work, and what each does now. */
import type { Operations } from '@weft/studio-client';
import { useQuery } from '../core/query.js';
import { pathTo } from '../core/route.js';
import { kept } from '../parts/kept.js';
import { titleOf } from '../parts/text.js';
import { Empty, Read, State, money, shortId } from '../parts/ui.js';

type Agent = Operations['agent.list']['output'][number];

export function Moving() {
  const agents = useQuery('agent.list', {});
  return (
    <section aria-labelledby="moving">
      <h2 id="moving">Moving</h2>
      <Read of={agents}>
        {(all) =>
          all.length === 0 ? (
            <Empty>No agent is at work.</Empty>
          ) : (
            <ul class="rows many">
              {all.map((agent) => (
                <AtWork key={agent.agentId} agent={agent} />
              ))}
            </ul>
          )
        }
      </Read>
    </section>
  );
}

const AtWork = kept(function AtWork({ agent }: { readonly agent: Agent }) {
  const { agentId, workUnitId, goal = workUnitId, status, currentActivity, usage } = agent;
  return (
    <li class="row">
      <State is={status} />
      <a class="grow cut" href={pathTo('units', workUnitId)}>
        {titleOf(goal, 80)}
        {currentActivity !== undefined && <span class="quiet"> · {titleOf(currentActivity, 80)}</span>}
      </a>
      {currentActivity === undefined && <span class="quiet small">{shortId(agentId)}</span>}
      {usage !== undefined && <span class="quiet">{money(usage.costUsd)}</span>}
    </li>
  );
});
