/** Identities that commits name as author and committer. */
export interface GitIdentity {
  readonly name: string;
  readonly email: string;
}

/** The studio itself, as what it makes names it. */
export const STUDIO_IDENTITY: GitIdentity = { name: 'Weft', email: 'weft@localhost' };
