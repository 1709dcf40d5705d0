/** Failures of the store as refusals: a disk that is full or fails is no defect of the studio, and its callers can do something about it. */
import { Rejection, StoreError } from '@weft/core';
import { refusal } from '../../reasons.js';

/** Refusal for a failure of the store; undefined for anything else. The store's own text names folders of the host, so it stays in the log. */
export function storeFailure(error: unknown): Rejection | undefined {
  // A host stops writing while there is still space for what frees some.
  if (error instanceof Rejection && error.reason === 'read-only')
    return refusal('reject.disk_full', 'the disk of the host is nearly full: nothing was recorded');
  if (!(error instanceof StoreError)) return undefined;
  if (error.fault === 'full')
    return refusal('reject.disk_full', 'the disk of the host is full: what was asked could not be recorded');
  return refusal('reject.store_failed', 'the store of the host fails: what was asked could not be recorded or read', {
    fault: error.fault,
  });
}
