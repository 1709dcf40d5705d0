/** Operator's log: never secrets, never request bodies. The lines are formatted by whoever starts the studio. */
import { inspect } from 'node:util';
import { type Notice, Rejection } from '@weft/core';

export type StudioLog = (notice: Notice) => void;

/** Default log: JSON lines on stderr; stdout belongs to the line that says where the studio listens. */
export const logToStderr: StudioLog = ({ level, message, about, error }) => {
  const failed = error === undefined ? {} : { error: error instanceof Rejection ? error.message : inspect(error) };
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...about, ...failed })}\n`);
};
