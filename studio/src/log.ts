/** What an operator of the studio reads: never secrets, never request bodies. The lines are made by whoever starts it. */
import { inspect } from 'node:util';
import { type Notice, Rejection } from '@weft/core';

export type StudioLog = (notice: Notice) => void;

/** Where nobody else makes lines: JSON on stderr; stdout belongs to the line that says where the studio listens. */
export const logToStderr: StudioLog = ({ level, message, about, error }) => {
  const failed = error === undefined ? {} : { error: error instanceof Rejection ? error.message : inspect(error) };
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...about, ...failed })}\n`);
};
