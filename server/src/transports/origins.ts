/**
 * Origins that may connect. A browser says of which site the page is that dials; without this, any page that a developer opens
 * could use the server on his machine. Programs name none. [OG1]
 *
 * Compared with names that the server was given, never with the request's own `Host`: a name that is bent to this address
 * stands in both.
 */
import { isIPv6 } from 'node:net';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

export class Origins {
  readonly #hosts: ReadonlySet<string>;
  readonly #allowed: ReadonlySet<string>;

  /** `hosts`: names of this server, each with or without a port. `allowed`: whole origins, `null`, or `*` for all. */
  constructor(hosts: readonly string[], allowed: readonly string[]) {
    const names = hosts.flatMap((host) => hostOf(`http://${isIPv6(host) ? `[${host}]` : host}`) ?? []);
    this.#hosts = new Set(names.some((name) => LOOPBACK.includes(name)) ? [...names, ...LOOPBACK] : names);
    this.#allowed = new Set(allowed.map((origin) => origin.toLowerCase()));
  }

  /** `origin` as the header has it; empty where there is none. */
  allows(origin: string): boolean {
    if (origin === '' || this.#allowed.has('*')) return true;
    if (this.#allowed.has(origin.toLowerCase())) return true;
    const host = hostOf(origin);
    return host !== undefined && this.#hosts.has(host);
  }
}

/** Host of an origin of the web, exactly as such is written; undefined for anything else. */
function hostOf(origin: string): string | undefined {
  const [, host] = /^https?:\/\/(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.exec(origin) ?? [];
  return host?.toLowerCase();
}
