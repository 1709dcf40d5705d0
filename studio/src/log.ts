/** Where the studio tells its operator what happens: one flat entry at a time, never secrets, never request bodies. */
export interface StudioLogEntry {
  readonly level: 'info' | 'error';
  readonly message: string;
  readonly [field: string]: unknown;
}

export type StudioLog = (entry: StudioLogEntry) => void;

/** One JSON object per line on stderr; stdout belongs to the line that says where the studio listens. */
export const logToStderr: StudioLog = (entry) => {
  const { error, ...fields } = entry;
  const line = error === undefined ? fields : { ...fields, error: describeError(error) };
  process.stderr.write(`${JSON.stringify(line)}\n`);
};

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  return {
    stack: error.stack ?? error.message,
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}
