/** Codes that a client acts on: by themselves, so that pages have them without what they mean. */
export const POLICY_CODE = 1008;
export const RESTART_CODE = 1012;
export const TOKEN_EXPIRED_CODE = 4002;

/** Every code with which the server ends a connection. */
export const CLOSE = {
  goingAway: { code: 1001, meaning: 'The server is stopping; reconnect later.' },
  policy: { code: POLICY_CODE, meaning: 'Refused before or at hello: expected hello, auth, protocol.' },
  tooLarge: { code: 1009, meaning: 'A frame exceeds welcome.limits.frame_bytes.' },
  overload: { code: 1011, meaning: 'The server failed, or the peer takes nothing any more.' },
  restart: { code: RESTART_CODE, meaning: 'The server restarts; reconnect after the time that the reason names.' },
  resync: { code: 4001, meaning: 'The peer fell behind its outbox; reconnect to catch up.' },
  tokenExpired: { code: TOKEN_EXPIRED_CODE, meaning: 'The token expired.' },
  rateLimit: { code: 4008, meaning: 'More was sent than the limits in welcome allow.' },
} as const;
