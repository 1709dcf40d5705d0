/** Certificate of the server: two PEM files, checked before anything listens, so that a bad one is refused by name. */
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';

export interface TlsFiles {
  /** Certificate chain in PEM: the server's own first, behind it those that vouch for it. */
  readonly cert: string;
  /** Private key in PEM. */
  readonly key: string;
}

/** The files and what is in them. */
export interface Tls {
  readonly files: TlsFiles;
  readonly cert: Buffer;
  readonly key: Buffer;
}

export async function readTls(files: TlsFiles): Promise<Tls> {
  const [cert, key] = [await read(files.cert, '--tls-cert'), await read(files.key, '--tls-key')];
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${files.cert} and ${files.key} are not a certificate and its key, in PEM: ${reason}`, {
      cause: error,
    });
  }
  return { files, cert, key };
}

async function read(path: string, flag: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${flag}: cannot read ${path}: ${reason}; name a PEM file that this user can read`, {
      cause: error,
    });
  }
}
