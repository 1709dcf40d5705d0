/** Reviews by address. */
import { Review, Reviews } from './review.js';
import type { AtAddress } from './work.js';

export function ReviewsView({ rest: [proposalId] }: AtAddress) {
  return proposalId === undefined ? <Reviews /> : <Review key={proposalId} proposalId={proposalId} />;
}
