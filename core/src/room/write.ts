/** One change of one register; `value: undefined` deletes the key. */
export interface Write {
  readonly key: string;
  readonly value: unknown;
}
