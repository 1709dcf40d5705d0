/** Allow-list of the network of confined programs: which servers they may reach, and at which of their addresses. Pure. */
import { BlockList, isIP, isIPv4 } from 'node:net';
import { isPublicAddress } from '../files/public-address.js';

/** A server that programs may reach. */
export interface Allowed {
  readonly scheme: 'http' | 'https';
  /** Host name in its one form: small letters, no dot at its end, an address without brackets; `*.` before it means those below it. */
  readonly host: string;
  readonly port: number;
}

export interface Target {
  readonly host: string;
  readonly port: number;
}

/** Registries that everybody uses, where a person allows them by one word. */
const PUBLIC_REGISTRIES: readonly string[] = [
  ...['registry.npmjs.org', 'registry.yarnpkg.com', 'pypi.org', 'files.pythonhosted.org'],
  ...['index.crates.io', 'crates.io', 'static.crates.io', 'proxy.golang.org', 'sum.golang.org'],
  ...['repo.maven.apache.org', 'repo1.maven.org', 'plugins.gradle.org', 'services.gradle.org', 'api.nuget.org'],
  ...['rubygems.org', 'index.rubygems.org'],
];
/** Word for all of them. */
const PUBLIC = 'public';

/** Reads what a person or a setting names: a host, a host with its port, or an address of the web. Undefined where it is none of these. */
export function allowedOf(text: string): Allowed | undefined {
  const [, scheme = 'https', rest = ''] = /^(?:(https?):\/\/(?=.)|(?!.*\/))(.*)$/is.exec(text.trim()) ?? [];
  const isBelow = rest.startsWith('*.');
  const place = (isBelow ? rest.slice(2) : rest).replace(/[/?#].*$/s, '').replace(/^.*@/s, '');
  const isPlain = scheme.toLowerCase() === 'http';
  const target = targetOf(/:\d+$/.test(place) ? place : `${place}:${isPlain ? 80 : 443}`);
  if (!target) return undefined;
  const { host, port } = target;
  // All of a country, or of an address, is no host.
  if (isBelow && (isIP(host) !== 0 || !host.includes('.'))) return undefined;
  return { scheme: isPlain ? 'http' : 'https', host: isBelow ? `*.${host}` : host, port };
}

/** Servers that a person names, one of them perhaps by the word for all public registries. Throws where one is none. */
export function hostsNamed(names: readonly string[]): Allowed[] {
  return names
    .flatMap((name) => (name === PUBLIC ? PUBLIC_REGISTRIES : [name]))
    .map((name) => {
      const row = allowedOf(name);
      if (row) return row;
      throw new Error(
        `${name} is no server: name it as registry.example.org, example.org:8443 or http://10.0.0.5:4873`,
      );
    });
}

/** Host and port as programs ask for them, in the one form in which they are compared. */
export function targetOf(text: string): Target | undefined {
  const [, name = '', digits = ''] = /^([^/?#@\s\\]+):(\d{1,5})$/.exec(text) ?? [];
  const url = URL.canParse(`http://${name}/`) ? new URL(`http://${name}/`) : undefined;
  const port = Number(digits);
  if (!url || url.port !== '' || port < 1 || port > 65_535) return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return /^[a-z0-9_.:-]{1,253}$/.test(host) ? { host, port } : undefined;
}

/** Row of a list that lets through to a target. */
export function allowing(list: readonly Allowed[], { host, port }: Target): Allowed | undefined {
  return list.find(
    (one) =>
      one.port === port && (one.host === host || (one.host.startsWith('*.') && host.endsWith(one.host.slice(1)))),
  );
}

/** Kind of network that an address lies in. */
export type Where = 'public' | 'private' | 'loopback' | 'elsewhere';

const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'];
const privates = new BlockList();
for (const network of PRIVATE) {
  const [address = '', bits] = network.split('/');
  privates.addSubnet(address, Number(bits), isIPv4(address) ? 'ipv4' : 'ipv6');
}

/** Where an address lies. Elsewhere are link-local ones, such as the metadata of a cloud, and all that is odd. */
export function whereOf(address: string): Where {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (isPublicAddress(plain)) return 'public';
  if (plain === '::1' || /^127\.\d+\.\d+\.\d+$/.test(plain)) return 'loopback';
  const family = isIP(plain);
  if (family === 0) return 'elsewhere';
  return privates.check(plain, family === 4 ? 'ipv4' : 'ipv6') ? 'private' : 'elsewhere';
}

/** Whether a host means this machine by its name. */
export function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}
