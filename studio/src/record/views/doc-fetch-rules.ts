/** Which documents of the outside world may be read. */
import { DEFAULT_OPTIONS, OPTIONS_ID } from '../aggregates/options/options.js';
import type { Records } from './records.js';

export interface DocFetchRules {
  readonly enabled: boolean;
  /** A domain stands for all below it. Nothing is allowed that is not named. */
  readonly allowedDomains: readonly string[];
  /** These are refused although a domain above them is allowed. */
  readonly deniedDomains: readonly string[];
}

export function docFetchRules({ options }: Records): DocFetchRules {
  const { docFetchTools, docFetchAllowedDomains, docFetchDeniedDomains } = options.get(OPTIONS_ID) ?? DEFAULT_OPTIONS;
  return { enabled: docFetchTools, allowedDomains: docFetchAllowedDomains, deniedDomains: docFetchDeniedDomains };
}
