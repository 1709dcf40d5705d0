/**
 * The proxy by which this machine itself reaches the world, as its environment names it (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`). What
 * confined programs may reach goes through it too; its password is said by the studio, and no program sees it.
 */
import { once } from 'node:events';
import { BlockList, type Socket, connect, isIP, isIPv4 } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { NotLetThrough, nameOf } from './answers.js';
import { type Allowed, type Target, isLocalName, targetOf } from './allowed.js';

export interface Upstream {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** What lets the studio in there. */
  readonly authorization: string | undefined;
}

/** Proxy for a server, undefined where that is reached without one. */
export type UpstreamOf = (scheme: Allowed['scheme'], target: Target) => Upstream | undefined;

/** Longest head of an answer of a proxy. */
const LONGEST_HEAD = 16 << 10;

/** Throws where a variable names no proxy, and then says which, without what stands in it. */
export function upstreamOf(environment: Readonly<Record<string, string | undefined>>): UpstreamOf {
  const named = (...names: readonly string[]): Upstream | undefined => {
    const name = names.find((one) => (environment[one] ?? '') !== '');
    return name === undefined ? undefined : proxyIn(name, environment[name]!);
  };
  // Never HTTP_PROXY in capitals alone where a request could have set it; a studio is no CGI program, so both are read.
  const proxies = {
    https: named('https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'),
    http: named('http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'),
  };
  const isDirect = directly(environment['no_proxy'] ?? environment['NO_PROXY'] ?? '');
  return (scheme, target) => (isDirect(target) ? undefined : proxies[scheme]);
}

function proxyIn(name: string, value: string): Upstream {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.hostname === '' || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new Error(`${name} names no proxy that speaks http: write it as http://proxy.example.org:3128, or unset it`);
  const isTls = url.protocol === 'https:';
  const { hostname, port, username, password } = url;
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isTls ? 443 : 80) : Number(port),
    isTls,
    authorization: login === ':' ? undefined : `Basic ${Buffer.from(login).toString('base64')}`,
  };
}

/** Which servers are reached without the proxy: this machine, and what `NO_PROXY` names. */
function directly(list: string): (target: Target) => boolean {
  const rows = list.split(/[\s,]+/).filter((row) => row !== '');
  const networks = new BlockList();
  for (const row of rows) {
    const [, address = '', bits = ''] = /^([\d.a-f:]+)\/(\d{1,3})$/i.exec(row) ?? [];
    if (isIP(address) !== 0 && Number(bits) <= (isIPv4(address) ? 32 : 128))
      networks.addSubnet(address, Number(bits), isIPv4(address) ? 'ipv4' : 'ipv6');
  }
  const names = rows.map((row) => {
    const { host, port } = targetOf(row) ?? { host: row.toLowerCase(), port: undefined };
    return { host: host.replace(/^\*?\./, ''), port };
  });
  return ({ host, port }) => {
    if (isLocalName(host) || host === '::1' || host.startsWith('127.') || rows.includes('*')) return true;
    if (isIP(host) !== 0 && networks.check(host, isIPv4(host) ? 'ipv4' : 'ipv6')) return true;
    return names.some(
      (row) => (row.port ?? port) === port && row.host !== '' && (host === row.host || host.endsWith(`.${row.host}`)),
    );
  };
}

/** Connection to the proxy, over which anything may be asked. */
export async function connectedTo({ host, port, isTls }: Upstream, counted: (socket: Socket) => Socket, ms: number) {
  const socket = counted(
    isTls ? connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }) }) : connect({ host, port }),
  );
  const late = setTimeout(() => socket.destroy(new Error('it did not answer in time')), ms);
  try {
    await once(socket, isTls ? 'secureConnect' : 'connect');
    return socket;
  } catch (error) {
    throw unreached({ host, port }, 'it could not be reached', error);
  } finally {
    clearTimeout(late);
  }
}

/** Leads a connection on to a server, by CONNECT; what comes after it is of that server. */
export async function ledOn(socket: Socket, proxy: Upstream, target: Target, ms: number): Promise<Socket> {
  const login = proxy.authorization === undefined ? '' : `Proxy-Authorization: ${proxy.authorization}\r\n`;
  const name = nameOf(target);
  const late = setTimeout(() => socket.destroy(new Error('it did not answer in time')), ms);
  try {
    socket.write(`CONNECT ${name} HTTP/1.1\r\nHost: ${name}\r\n${login}\r\n`);
    let head = Buffer.alloc(0);
    for (let end = -1; end < 0; end = head.indexOf('\r\n\r\n')) {
      const more = await nextOf(socket);
      if (more === undefined || head.length + more.length > LONGEST_HEAD) throw new Error('it gave no answer');
      head = Buffer.concat([head, more]);
    }
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1'))?.[1];
    if (status?.startsWith('2') !== true) throw new Error(`it answered ${status ?? 'something else than HTTP'}`);
    const rest = head.subarray(head.indexOf('\r\n\r\n') + 4);
    if (rest.length > 0) socket.unshift(rest);
    return socket;
  } catch (error) {
    socket.destroy();
    throw unreached(proxy, `${name} was not reached through it: ${error instanceof Error ? error.message : ''}`, error);
  } finally {
    clearTimeout(late);
  }
}

/** Next bytes; undefined at the end. */
function nextOf(socket: Socket): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const bytes = socket.read() as Buffer | null;
      if (bytes === null) return;
      over();
      resolve(bytes);
    };
    const ended = (error?: unknown): void => {
      over();
      if (error instanceof Error) reject(error);
      else resolve(undefined);
    };
    const over = (): void => {
      socket.off('readable', look).off('end', ended).off('close', ended).off('error', ended);
    };
    socket.on('readable', look).on('end', ended).on('close', ended).on('error', ended);
    look();
  });
}

function unreached(proxy: Target, why: string, cause: unknown): NotLetThrough {
  return new NotLetThrough(
    502,
    `weft: the proxy of this machine (${nameOf(proxy)}): ${why}. It is named by HTTPS_PROXY or HTTP_PROXY where the studio was started`,
    { cause },
  );
}
