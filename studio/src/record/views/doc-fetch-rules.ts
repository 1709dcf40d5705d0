/** Fetch rules: which outside documents may be read. */
import { DEFAULT_OPTIONS, OPTIONS_ID } from '../aggregates/options/options.js';
import type { Records } from './records.js';

export interface DocFetchRules {
  readonly enabled: boolean;
  /** Allow-list of domains, each with all its subdomains. Nothing else is allowed. */
  readonly allowedDomains: readonly string[];
  /** Deny-list, which wins over an allowed parent domain. */
  readonly deniedDomains: readonly string[];
}

export function docFetchRules({ options }: Records): DocFetchRules {
  const { docFetchTools, docFetchAllowedDomains, docFetchDeniedDomains } = options.get(OPTIONS_ID) ?? DEFAULT_OPTIONS;
  return { enabled: docFetchTools, allowedDomains: docFetchAllowedDomains, deniedDomains: docFetchDeniedDomains };
}
