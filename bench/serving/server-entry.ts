// What a server is that the benches put beside others.
export interface ServerAsked {
  /** Folder for what it keeps; gone when the bench has ended. */
  readonly folder: string;
  /** Idle time after which a room may leave memory; the server's default when absent. */
  readonly idleMs?: number | undefined;
}

export interface ServerEntry {
  readonly name: string;
  /** Starts it; answers what stands before the name of a room: `ws://127.0.0.1:7878/ws/`. */
  readonly start: (asked: ServerAsked) => Promise<string>;
  /** Dialect of its clients. */
  readonly dialect: 'weft' | 'hocuspocus' | 'y-websocket' | 'tldraw' | 'jazz' | 'raw';
  /** Package whose version is shown; without one it is of the workspace. */
  readonly packageName?: string;
  /** Variables that its process is started with beside those of the bench. */
  readonly environment?: () => Readonly<Record<string, string>>;
  readonly doesNot: readonly string[];
}
