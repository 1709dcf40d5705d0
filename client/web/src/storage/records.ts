/** Records: what a device keeps for a room, by name. Behind it are IndexedDB, or memory. */
export interface Records {
  /** Records whose names begin so, by name, as they were at one moment. */
  read(prefix: string): Promise<readonly (readonly [name: string, value: unknown])[]>;
  /** All of it or nothing. `isStrict`: on the disk when it resolves; otherwise a crash of the machine may take the newest. */
  write(change: Change, isStrict: boolean): Promise<void>;
  /** A lock that ends with whoever holds it; undefined when another has it, or there are no locks here. */
  lock(name: string): Promise<(() => void) | undefined>;
  /** Where there are no locks, nobody can know whether another tab is there. */
  readonly hasLocks: boolean;
  /** Tells the other tabs that have these records open. */
  say(message: unknown): void;
  /** Called with what other tabs say; the result ends it. */
  onSaid(listener: (message: unknown) => void): () => void;
  close(): void;
}

/** Records that come and go together. */
export interface Change {
  readonly put?: readonly (readonly [name: string, value: unknown])[];
  /** Names, or what they begin with. */
  readonly remove?: readonly { readonly prefix: string }[];
}

/** Where rooms are kept on a device. */
export interface Storage {
  /** Records of one room. Rejects where nothing can be kept: quota, a private window, a broken disk. */
  open(name: string): Promise<Records>;
}
