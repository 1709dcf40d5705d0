/** Ids of the first nodes of a table that lie in files. They are read at once, a page at a time, and never change. */
export interface FiledIds {
  /** How many there are: whole pages. */
  readonly count: number;
  /** What an image calls the files. */
  readonly names: readonly string[];
  /** Why one could not be read. From then on whoever asks has it thrown: what has asked before may be half done. */
  readonly fault: Error | undefined;
  /** The first place that holds the id at `words[at]`, or -1. */
  find(words: Int32Array, at: number): number;
  /** The first places of all ids which begin with these two words. */
  beginning(first: number, second: number): number[];
  /** The page on which an id stands, which stays as it is for whoever holds it: the n-th id of the table is the (n mod 128)-th there. */
  page(place: number): Int32Array;
}

export const IDS_A_PAGE = 128;
