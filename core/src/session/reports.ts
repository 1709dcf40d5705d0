/** Reports of a session: what the operator of the server counts and is told of one connection. */
import type { MetricName, Notice } from '../ports/telemetry.js';
import { CLOSE } from '../wire/close-codes.js';
import type { SessionParts } from './parts.js';

/** Closings that an operator should hear of: what the peer has done, or what it was not given. */
const BLAMED: ReadonlySet<number> = new Set(
  [CLOSE.policy, CLOSE.tooLarge, CLOSE.overload, CLOSE.rateLimit].map(({ code }) => code),
);

export function record({ rooms }: SessionParts, metric: MetricName, value: number, ...labels: readonly string[]): void {
  rooms.parts.telemetry.record(metric, value, ...labels);
}

export function tell(
  { rooms, roomId: room, sessionId: connection }: SessionParts,
  level: Notice['level'],
  message: string,
  about?: Notice['about'],
): void {
  rooms.parts.telemetry.tell?.({ level, message, about: { room, connection, ...about } });
}

export function tellClosing(parts: SessionParts, code: number, reason: string): void {
  record(parts, 'closes_total', 1, String(code));
  tell(parts, BLAMED.has(code) ? 'warn' : 'debug', 'a connection was closed', { code, reason });
}
