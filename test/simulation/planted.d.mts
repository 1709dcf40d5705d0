/** A bug: a text that stands once in a source file, and what is put in its place. */
export interface Planted {
  readonly name: string;
  /** Laws of which any may be the one that is seen to break first. */
  readonly laws: readonly string[];
  /** World in which it is looked for. Default: that of a room server. */
  readonly world?: 'studio';
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export const planted: readonly Planted[];
