/** Error for an address that the operating system refuses: a sentence that says what to change. */
import { formatAddress } from './address.js';

const CAUSES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'address already in use',
  EACCES: 'permission denied (ports below 1024 are usually reserved)',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name could not be looked up',
};

export function listenError(error: unknown, host: string, port: number, option: string): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const cause = CAUSES[code] ?? (error instanceof Error ? error.message : 'the system gave no reason');
  return new Error(`cannot listen on ${formatAddress(host, port)}: ${cause}; choose another with ${option}`, {
    cause: error,
  });
}
