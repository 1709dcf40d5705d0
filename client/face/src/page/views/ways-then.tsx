/** Ways that were proposed up to a moment: two of them are compared, and one is done again with something changed. */
import type { MergeProposal } from '@weft/studio-client';
import { useState } from 'preact/hooks';
import { useQuery } from '../core/query.js';
import { pathTo } from '../core/route.js';
import { titleOf } from '../parts/text.js';
import { Choose, Empty, Read } from '../parts/ui.js';
import { WhatIf } from './what-if.js';

/** Proposals that can be chosen: the newest of then. */
const CHOICE = 50;

export function WaysThen({ until }: { readonly until: string }) {
  const all = useQuery('merge.list', { newest: 1000 });
  return (
    <Read of={all}>
      {(proposals) => {
        const ways = proposals.filter(({ createdAt }) => createdAt <= until).slice(-CHOICE);
        if (ways.length === 0) return <Empty>Nothing was proposed up to then.</Empty>;
        return <Ways ways={ways.toReversed()} />;
      }}
    </Read>
  );
}

function Ways({ ways }: { readonly ways: readonly MergeProposal[] }) {
  const [first, setFirst] = useState('');
  const [second, setSecond] = useState('');
  const options = ways.map(({ proposalId, summary }) => [proposalId, titleOf(summary, 80)] as const);
  // Another moment may not have what was chosen.
  const chosen = (id: string, at: number): string =>
    (ways.find(({ proposalId }) => proposalId === id) ?? ways[at] ?? ways[0])?.proposalId ?? '';
  const [one, other] = [chosen(first, 0), chosen(second, 1)];
  return (
    <div class="form">
      <Choose label="One way" name="one-way" value={one} options={options} onChange={setFirst} />
      {ways.length > 1 && (
        <>
          <Choose label="The other" name="other-way" value={other} options={options} onChange={setSecond} />
          {one !== other && (
            <p>
              <a class="button" href={pathTo('reviews', one, 'with', other)}>
                Compare the two
              </a>
            </p>
          )}
        </>
      )}
      <details>
        <summary>What if the one way were done again</summary>
        <WhatIf key={one} proposalId={one} />
      </details>
    </div>
  );
}
