/**
 * Key of a page: what a browser that was let in shows instead of a bearer token, in two halves.
 *
 * One half is a cookie that no script can read. Cookies go to every port of a machine, so it opens nothing alone: the other half is
 * kept by the page, in storage of its own origin, and sent as a header, which no page of another origin can send without leave.
 */
import { refusal } from '../../reasons.js';

const HEADER = 'x-weft-page';
const HALF = /^[0-9a-f]{64}$/;

/** Cookie name, which tells studios on two ports of one machine apart. */
function cookieName(request: Request): string {
  const port = /:(\d+)$/.exec(request.headers.get('host') ?? '')?.[1];
  return port === undefined ? 'weft_page' : `weft_page_${port}`;
}

/** Secret that both halves make, or undefined where a request has neither. */
export function pageSecretOf(request: Request): string | undefined {
  const half = request.headers.get(HEADER);
  if (half === null) return undefined;
  // Absent outside of browsers, and in old ones; a page cannot forge it.
  const site = request.headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin') throw refusal('reject.origin_not_allowed', `the request is ${site}`);
  const other = cookieIn(request.headers.get('cookie') ?? '', cookieName(request));
  return other !== undefined && HALF.test(half) && HALF.test(other) ? secretOf(other, half) : undefined;
}

/** Secret of a token that a page is given, and where its halves go. */
export function newPageKey(newHalf: () => string, request: Request, seconds: number) {
  const [kept, shown] = [newHalf(), newHalf()];
  const secure = new URL(request.url).protocol === 'https:' ? '; Secure' : '';
  return {
    secret: secretOf(kept, shown),
    shown,
    cookie: `${cookieName(request)}=${kept}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}${secure}`,
  };
}

/** Cookie that takes the place of a page's, and ends at once. */
export function endedCookie(request: Request): string {
  return `${cookieName(request)}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0`;
}

function secretOf(kept: string, shown: string): string {
  return `${kept}.${shown}`;
}

function cookieIn(header: string, name: string): string | undefined {
  const pairs = header.split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
