/** Public URL of the blob listener: its own address, or that of a proxy which the operator names. */
import { type Address, formatAddress } from '../address.js';

const EVERY_NETWORK = new Set(['0.0.0.0', '::']);

export function parseBlobUrl(text: string | undefined, { host, port }: Address): string | undefined {
  if (text === undefined) {
    if (!EVERY_NETWORK.has(host)) return undefined;
    const address = formatAddress(host, port);
    throw new Error(`no peer can reach a link to ${address}: say with --blob-url how they reach it`);
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw new Error(`bad blob URL '${text}': write it like https://blobs.example.org`);
  }
  return url.href;
}
