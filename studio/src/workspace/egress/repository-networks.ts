/** Servers that a person allows the programs of one repository, beside those of all. Pure. */
export interface RepositoryNetwork {
  /** Folder of the user's repository. */
  readonly repository: string;
  readonly hosts: readonly string[];
}

export function hostsOf(networks: readonly RepositoryNetwork[], path: string | undefined): readonly string[] {
  return networks.filter(({ repository }) => repository === path).flatMap(({ hosts }) => hosts);
}
