/** Reviews by address. */
import { Compare } from './compare.js';
import { Review, Reviews } from './review.js';
import type { AtAddress } from './work.js';

export function ReviewsView({ rest: [proposalId, word, other] }: AtAddress) {
  if (proposalId !== undefined && word === 'with' && other !== undefined)
    return <Compare key={`${proposalId} ${other}`} ids={[proposalId, other]} />;
  return proposalId === undefined ? <Reviews /> : <Review key={proposalId} proposalId={proposalId} />;
}
