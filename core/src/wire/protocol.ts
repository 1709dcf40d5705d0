/** Versions of the WebSocket protocol that this engine speaks, best first. A change that clients notice adds one. */
export const PROTOCOLS: readonly number[] = [1];
