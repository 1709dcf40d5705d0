/** Shape of the built page. */
export interface FaceFile {
  /** Media type. */
  readonly type: string;
  /** Compressed by gzip, in base64: nearly all browsers take it as it is. */
  readonly gzip: string;
}

export interface Face {
  /** The page, the same at every address of `VIEWS`. */
  readonly html: string;
  /** Page about rooms alone, for a room server without a studio. */
  readonly rooms: string;
  /** Files below `/assets/`, by names that change with what they hold. */
  readonly files: ReadonlyMap<string, FaceFile>;
  /** Names of the files that are loaded before anything is drawn. */
  readonly first: readonly string[];
}
