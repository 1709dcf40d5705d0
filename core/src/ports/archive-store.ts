/**
 * Where archives lie: files by name, read from anywhere in them and written once, from beginning to end.
 *
 * A file is there whole or not at all: what `put` has answered would survive a power failure, and whoever reads meanwhile
 * reads the file that was there before, or no further. Nothing holds more than a chunk of it in memory.
 */
export interface ArchiveFile {
  readonly size: number;
  /** Bytes from `from` up to, not with, `to`, all of the file that was opened; ends with an error where these are not there. */
  read(from: number, to: number): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

export interface ArchiveStore {
  /** To be closed. Undefined where nothing of that name is. Rejects with an `ArchiveNameError` for what is no name here. */
  open(name: string): Promise<ArchiveFile | undefined>;
  /** Replaces what has the name. When `bytes` break off, nothing has changed. */
  put(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
}

/** The name is at fault, not the store: it leads outside, or is none. */
export class ArchiveNameError extends Error {
  override readonly name = 'ArchiveNameError';
}
