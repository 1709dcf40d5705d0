/** Three-way versions of a file: base, the target's, the proposal's; null for no file. */
export interface FileVersions {
  readonly path: string;
  readonly base: string | null;
  readonly ours: string | null;
  readonly theirs: string | null;
}
