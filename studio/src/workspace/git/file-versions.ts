/** A file as both sides of a conflict began with it, as it stands, and as it is to land; null for no file. */
export interface FileVersions {
  readonly path: string;
  readonly base: string | null;
  readonly ours: string | null;
  readonly theirs: string | null;
}
