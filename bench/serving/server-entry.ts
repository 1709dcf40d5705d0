// What a server is that the benches put beside others.
export interface ServerAsked {
  /** For what it keeps; gone when the bench has ended. */
  readonly folder: string;
  /** After how long without a word a room may leave memory; the server's default when absent. */
  readonly idleMs?: number | undefined;
}

export interface ServerEntry {
  readonly name: string;
  /** What stands before the name of a room: `ws://127.0.0.1:7878/ws/`. */
  readonly start: (asked: ServerAsked) => Promise<string>;
  /** How its clients speak. */
  readonly dialect: 'weft' | 'hocuspocus' | 'y-websocket' | 'raw';
  /** The package whose version is shown; without one it is of the workspace. */
  readonly packageName?: string;
  readonly doesNot: readonly string[];
}
