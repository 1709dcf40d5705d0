/** Which documents of the outside world may be read. */
import type { Records } from './records.js';

export interface DocFetchRules {
  readonly enabled: boolean;
  /** A domain stands for all below it. Nothing is allowed that is not named. */
  readonly allowedDomains: readonly string[];
  /** These are refused although a domain above them is allowed. */
  readonly deniedDomains: readonly string[];
}

/** Nobody can allow it yet. */
export function docFetchRules(_records: Records): DocFetchRules {
  return { enabled: false, allowedDomains: [], deniedDomains: [] };
}
