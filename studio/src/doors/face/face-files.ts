/** Files of the face: the page and what it loads, all from this host. They hold nothing of it, so they are open to everyone. */
import { gunzipSync } from 'node:zlib';
import { VIEWS, loadFace } from '@weft/face';
import type { FaceFile } from '@weft/face';
import { refusal } from '../../reasons.js';

/** Policy of the page: scripts and styles are files of this host, and nothing is reached but this host. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const COMMON = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const PAGE_PATH = new RegExp(`^/(?:${VIEWS.join('|')})?(?:/|$)`);
const FILE_PATH = /^\/assets\/([\w.-]+)$/;

/** Whether a path is one of the page's, so that no token is needed for it. */
export function isOfFace(path: string): boolean {
  return path === '/' || FILE_PATH.test(path) || (path.split('/')[1] !== '' && PAGE_PATH.test(path));
}

export async function faceFile(request: Request, path: string): Promise<Response> {
  const { html, files } = await loadFace();
  const name = FILE_PATH.exec(path)?.[1];
  if (name === undefined) return page(html);
  const file = files.get(name);
  if (!file) throw refusal('reject.route_not_found', `the page has no file ${name}; load it anew`);
  return served(request, name, file);
}

/** Files of the page about rooms alone, for a room server without a studio; undefined for what is none of them. */
export async function roomsFile(request: Request): Promise<Response | undefined> {
  const { pathname } = new URL(request.url);
  const { rooms, files } = await loadFace();
  if (pathname === '/' || /^\/rooms(?:\/|$)/.test(pathname)) return page(rooms);
  const name = FILE_PATH.exec(pathname)?.[1] ?? '';
  const file = files.get(name);
  return file && served(request, name, file);
}

function page(html: string): Response {
  const headers = { ...COMMON, 'content-security-policy': POLICY, 'cache-control': 'no-cache' };
  return new Response(html, { headers: { ...headers, 'content-type': 'text/html; charset=utf-8' } });
}

/** Compressed files as bytes, from when they are first asked for. */
const compressed = new Map<string, Uint8Array<ArrayBuffer>>();

function served(request: Request, name: string, { type, gzip }: FaceFile): Response {
  // The name changes with what the file holds.
  const headers = {
    ...COMMON,
    'content-type': type,
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
  };
  let bytes = compressed.get(name);
  if (!bytes) compressed.set(name, (bytes = Uint8Array.from(Buffer.from(gzip, 'base64'))));
  if (!/\bgzip\b/.test(request.headers.get('accept-encoding') ?? ''))
    return new Response(gunzipSync(bytes), { headers });
  return new Response(bytes, { headers: { ...headers, 'content-encoding': 'gzip' } });
}
