/** Document fetcher over https, safe against DNS rebinding: the name is resolved once, the address checked, and then used. */
import { lookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { isIP } from 'node:net';
import { Rejection } from '@weft/core';
import { refusal } from '../../reasons.js';
import type { DocumentAnswer, DocumentSource } from './documents.js';
import { isPublicAddress } from './public-address.js';

export interface NodeDocumentsOptions {
  /** Name resolution. Default: this machine's. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  readonly mayReach?: (address: string) => boolean;
  /** Trusted certificates. Default: the usual ones. */
  readonly ca?: string;
}

export function nodeDocuments(options: NodeDocumentsOptions = {}): DocumentSource {
  const { resolve = resolveName, mayReach = isPublicAddress, ca } = options;
  return {
    async get(url, { maxBytes, signal }) {
      const name = url.hostname.replace(/^\[|\]$/g, '');
      try {
        signal.throwIfAborted();
        const addresses = isIP(name) ? [name] : await withSignal(resolve(name), signal);
        const [address] = addresses;
        if (address === undefined || !addresses.every(mayReach))
          throw refusal('reject.document_refused', `${name} is not in the public network`, { name });
        return await fetched(url, address, { maxBytes, signal, ...(ca === undefined ? {} : { ca }) });
      } catch (error) {
        if (error instanceof Rejection) throw error;
        const why = signal.aborted ? 'it took too long' : error instanceof Error ? error.message : String(error);
        throw refusal('reject.document_unreachable', `${url.href} could not be read: ${why}`);
      }
    },
  };
}

interface Asked {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly ca?: string;
}

function fetched(url: URL, address: string, { maxBytes, signal, ca }: Asked): Promise<DocumentAnswer> {
  return new Promise((resolve, reject) => {
    const family = isIP(address);
    const outgoing = request(url, {
      agent: false,
      signal,
      ...(ca === undefined ? {} : { ca }),
      headers: { accept: 'text/*, application/json;q=0.9', 'accept-encoding': 'identity', 'user-agent': 'weft-studio' },
      lookup: (_name, { all }, answer) => (all ? answer(null, [{ address, family }]) : answer(null, address, family)),
    });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      read(incoming, maxBytes).then(resolve, reject);
    });
    outgoing.end();
  });
}

async function read(incoming: IncomingMessage, maxBytes: number): Promise<DocumentAnswer> {
  const { statusCode: status = 0, headers } = incoming;
  const { 'content-encoding': coding = 'identity' } = headers;
  // Compression was not asked for, and could expand beyond any bound.
  if (coding !== 'identity') {
    incoming.destroy();
    throw new Error(`it came packed (${coding})`);
  }
  const pieces: Buffer[] = [];
  let size = 0;
  // Breaking off closes the connection, however much is still to come.
  for await (const piece of incoming) {
    pieces.push(piece as Buffer);
    size += (piece as Buffer).length;
    if (size > maxBytes) break;
  }
  const contentType = headers['content-type'] ?? 'application/octet-stream';
  const bytes = Buffer.concat(pieces).subarray(0, maxBytes);
  return { status, location: headers.location, contentType, bytes, truncated: size > maxBytes };
}

async function resolveName(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

/** Abortable lookup: a name server may be slow. */
async function withSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new Error('aborted'));
    signal.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
