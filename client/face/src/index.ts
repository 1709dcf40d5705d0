/** The face of the studio: a page, and the files that it loads. The studio serves them; nothing here runs on the host. */
export interface FaceFile {
  /** Media type. */
  readonly type: string;
  readonly text: string;
}

export interface Face {
  /** The page, the same at every address of `VIEWS`. */
  readonly html: string;
  /** Files below `/assets/`, by names that change with what they hold. */
  readonly files: ReadonlyMap<string, FaceFile>;
  /** Names of the files that are loaded before anything is drawn. */
  readonly first: readonly string[];
}

/** First segments of the page's addresses. */
export const VIEWS = ['inbox', 'goals', 'units', 'reviews', 'candidate', 'recover', 'repositories'] as const;

export async function loadFace(): Promise<Face> {
  return (await import('./built.js')).face;
}
