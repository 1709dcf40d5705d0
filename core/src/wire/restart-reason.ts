/** The reason of a close with 1012: a person reads why, a client when to come back. [ER4] */
export function restartReason(ms: number, why = 'the server restarts'): string {
  return `${why}; come back in ${ms} ms`;
}

/** Reason of a close with 1008 of a peer whose place another connection took that named the same `peer_id`. [HS8] */
export const CONNECTED_AGAIN = 'this peer has connected again';

/** Milliseconds to wait that a reason names; undefined when it names none. */
export function comeBackMs(reason: string): number | undefined {
  const digits = /\bcome back in (\d{1,6}) ms$/.exec(reason)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
