/**
 * Tokens of pages that a link has let in. A person lists and revokes them like any other, so a page that is open somewhere can be
 * seen and ended, and stays let in when the host starts anew.
 */
import { token } from '../../record/aggregates/token/token.js';
import type { Scope } from '../kernel/caller.js';
import type { OperationParts } from '../kernel/context.js';

/** Pages at once: a further one ends the oldest. */
const MOST = 100;
/** Label by which they are known among other tokens. */
const LABEL = 'a page in a browser';

type Parts = Pick<OperationParts, 'ledger' | 'records' | 'now' | 'newId'>;

export interface PageToken {
  readonly digest: string;
  readonly scope: Scope;
  readonly expiresAt: string;
}

/** Records the token of a new page. Those of pages that are over leave the record with it. */
export async function keepPage({ ledger, records, now, newId }: Parts, page: PageToken): Promise<void> {
  const tokenId = newId('page-');
  await ledger.change('studio', (change) => {
    const pages = records.tokens.all().filter(({ label }) => label === LABEL);
    const isOver = ({ expiresAt = '' }: { readonly expiresAt?: string | undefined }): boolean => expiresAt <= now();
    const open = pages.filter((one) => !isOver(one));
    const ended = [...pages.filter(isOver), ...open.slice(0, Math.max(0, open.length + 1 - MOST))];
    for (const old of ended) change.end(token, old.tokenId, 'revoke', { tokenId: old.tokenId });
    change.run(token, tokenId, 'make', { tokenId, label: LABEL, internal: false, ...page });
  });
}

/** Ends a page, by the name of its token. Another token is not touched. */
export async function endPage({ ledger, records }: Parts, tokenId: string): Promise<void> {
  if (records.tokens.get(tokenId)?.label !== LABEL) return;
  await ledger.change('studio', (change) => change.end(token, tokenId, 'revoke', { tokenId }));
}
