/** Addresses of a database that may be at one of several hosts: `postgres://user@one:5432,two:5432/name`, as PostgreSQL's own clients have it. */
const PARTS = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;

/** Each of them by itself, in their order. */
export function addressesIn(address: string): string[] {
  const [, before = '', hosts = '', behind = ''] = PARTS.exec(address) ?? [];
  return hosts.includes(',') ? hosts.split(',').map((host) => `${before}${host}${behind}`) : [address];
}
