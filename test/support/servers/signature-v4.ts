/**
 * Verifier of AWS Signature Version 4, in headers or in a query: written from the specification, for the S3 of the
 * tests.
 */
import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export function isSigned({ method = '', url = '', headers }: IncomingMessage, body: Buffer, secret: string): boolean {
  const { pathname, searchParams } = new URL(url, 'http://unused');
  const inQuery = searchParams.has('X-Amz-Signature');
  const said = inQuery
    ? undefined
    : /Credential=(\S+?), *SignedHeaders=(\S+?), *Signature=(\S+)/.exec(headers.authorization ?? '');
  const credential = said?.[1] ?? searchParams.get('X-Amz-Credential') ?? '';
  const signedHeaders = said?.[2] ?? searchParams.get('X-Amz-SignedHeaders') ?? '';
  const signature = said?.[3] ?? searchParams.get('X-Amz-Signature');
  const date = inQuery ? (searchParams.get('X-Amz-Date') ?? '') : String(headers['x-amz-date']);
  const payload = inQuery ? 'UNSIGNED-PAYLOAD' : String(headers['x-amz-content-sha256']);
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== createHash('sha256').update(body).digest('hex')) return false;
  const query = [...searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${escape(name)}=${escape(value)}`)
    .sort();
  const named = signedHeaders.split(';').map((name) => `${name}:${String(headers[name] ?? '').trim()}\n`);
  const path = decodeURIComponent(pathname).split('/').map(escape).join('/');
  const canonical = [method, path, query.join('&'), named.join(''), signedHeaders, payload].join('\n');
  const [, ...scope] = credential.split('/');
  const digest = createHash('sha256').update(canonical).digest('hex');
  const toSign = ['AWS4-HMAC-SHA256', date, scope.join('/'), digest].join('\n');
  const key = scope.reduce<string | Buffer>(
    (last, part) => createHmac('sha256', last).update(part).digest(),
    `AWS4${secret}`,
  );
  return createHmac('sha256', key).update(toSign).digest('hex') === signature;
}

function escape(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);
}
