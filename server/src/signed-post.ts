/** A signed question or notice: `weft-signature: v1=<hex>`, HMAC-SHA-256 by the shared secret over `<weft-timestamp>.<body>`. */
import { createHmac } from 'node:crypto';

/** Posts JSON; the answer may be anything, and follows no redirect, which could lead elsewhere than the operator has said. */
export function signedPost(url: URL, secret: string, content: object, signal: AbortSignal): Promise<Response> {
  const body = JSON.stringify(content);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const mac = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'weft',
      'weft-timestamp': timestamp,
      'weft-signature': `v1=${mac}`,
    },
    body,
    signal,
    redirect: 'manual',
  });
}
