/**
 * Egress over the proxy in this process. Each program has sockets of its own in a folder of the studio's, which are bound into its
 * sandbox; on a system without such networks it has a port of this machine.
 */
import { type FileHandle, chmod, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Addresses, type Lookup } from './addresses.js';
import { HOME } from '../sandbox/caches.js';
import { type Allowed, type Target, hostsNamed, isLocalName } from './allowed.js';
import { javaVariables } from '../sandbox/found-inside.js';
import { DOOR_PORT, PROXY_PORT, javaProxy, proxyEnvironment } from './bridge.js';
import { CertificateAuthority } from './certificates.js';
import { EgressProxy, type OpenDoor, type ProxyLimits, type Reading } from './egress-proxy.js';
import type { Egress, EgressWanted, RefusedProgram, WayOut } from './egress.js';
import { type Login, hasLogin } from './logins.js';
import { NO_REGISTRIES, type Registries } from './node-registries.js';
import { studioDoor } from './studio-door.js';
import {
  ALL_INSIDE,
  EXTRA_INSIDE,
  STORE_INSIDE,
  javaStore,
  javaTrust,
  systemCertificates,
  trustEnvironment,
} from './trust.js';
import type { UpstreamOf } from './upstream.js';
import type { DoorWanted } from './way.js';

export interface EgressOptions {
  readonly registries?: Registries | undefined;
  /** Servers that a person allows all programs. */
  readonly hosts?: readonly string[] | undefined;
  /** Servers that a person allows the programs of one repository. */
  readonly hostsOf?: ((repositoryId: string) => readonly string[]) | undefined;
  readonly onRefused?: ((refused: RefusedProgram) => void) | undefined;
  readonly limits?: Partial<ProxyLimits> | undefined;
  /** Proxy that this machine itself needs. Default: none. */
  readonly upstream?: UpstreamOf | undefined;
  readonly lookup?: Lookup | undefined;
  /** Whether programs have a network of their own. Default: not on macOS. */
  readonly isApart?: boolean | undefined;
}

/** Lowest port that a program without rights may listen at. */
const LOWEST_PORT = 1024;

export class NodeEgress implements Egress {
  readonly #folder: string;
  /** Kept open: a path through it is short enough for a socket, wherever the folder lies. */
  readonly #handle: FileHandle;
  readonly #options: EgressOptions;
  readonly #addresses: Addresses;
  readonly #proxy: EgressProxy;
  readonly #allowed: readonly Allowed[];
  readonly #settings: WayOut['settings'];
  readonly #logins: readonly Login[];
  /** Variables by which programs find what they are told to trust. */
  readonly #trust: Readonly<Record<string, string>>;
  readonly #javaTrust: readonly string[];

  private constructor(
    folder: string,
    handle: FileHandle,
    options: EgressOptions,
    settings: WayOut['settings'],
    reading: Reading,
  ) {
    const { authority, logins, trusted } = reading;
    this.#logins = logins;
    const isOfOwn = authority !== undefined || trusted !== undefined;
    this.#trust = isOfOwn ? trustEnvironment(HOME) : {};
    this.#javaTrust = isOfOwn ? javaTrust(HOME) : [];
    this.#folder = folder;
    this.#handle = handle;
    this.#options = options;
    this.#settings = settings;
    const { registries = NO_REGISTRIES, hosts = [], lookup, limits, upstream } = options;
    this.#allowed = [...registries.allowed, ...hostsNamed(hosts)];
    this.#addresses = new Addresses(lookup);
    this.#addresses.allow(this.#allowed);
    this.#proxy = new EgressProxy(this.#addresses, limits, upstream, reading);
  }

  static async open(folder: string, options: EgressOptions = {}): Promise<NodeEgress> {
    // What is in it is of programs that have ended.
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
    const settings: { from: string; path: string }[] = [];
    const { isApart = process.platform !== 'darwin' } = options;
    // Where programs have no home of their own, nothing tells them whom to trust.
    const { logins = [], trusted: own = [] } = isApart ? (options.registries ?? {}) : {};
    const authority = logins.length === 0 ? undefined : new CertificateAuthority();
    const extra = [...own, ...(authority ? [authority.pem] : [])].join('\n');
    const system = extra === '' ? '' : await systemCertificates();
    const trust = [
      { path: EXTRA_INSIDE, text: `${extra}\n` },
      { path: ALL_INSIDE, text: `${system}\n${extra}\n` },
      { path: STORE_INSIDE, text: javaStore(`${system}\n${extra}\n`) },
    ];
    const reading = { logins, authority, trusted: own.length === 0 ? undefined : `${system}\n${own.join('\n')}\n` };
    for (const { path, text } of [...(options.registries?.files ?? []), ...(extra === '' ? [] : trust)]) {
      const from = join(folder, 'settings', path);
      await mkdir(dirname(from), { recursive: true, mode: 0o700 });
      await writeFile(from, text, { mode: 0o600 });
      settings.push({ from, path });
    }
    const handle = await open(folder);
    try {
      return new NodeEgress(folder, handle, options, settings, reading);
    } catch (error) {
      await handle.close(); // a server that is named wrongly
      throw error;
    }
  }

  get servers(): readonly string[] {
    return [...new Set(this.#allowed.map(({ host, port }) => (port === 443 ? host : `${host}:${port}`)))];
  }

  async wayOut({ mark, repositoryId, own, folder, tell }: EgressWanted): Promise<WayOut> {
    const { hostsOf, onRefused, registries, isApart = process.platform !== 'darwin' } = this.#options;
    const ofRepository = repositoryId === undefined || own?.isAll === true ? [] : (hostsOf?.(repositoryId) ?? []);
    const further = hostsNamed([...(own?.hosts ?? []), ...ofRepository]);
    this.#addresses.allow(further);
    const allowed = [...(own?.isAll === true ? [] : this.#allowed), ...further];
    const wanted = {
      allowed,
      onRefused: ({ target, why }: { target: string; why: string }) => {
        tell?.(`weft: no connection to ${target}: ${why}\n`);
        onRefused?.({ target, why, folder, repositoryId });
      },
    };
    const doors: OpenDoor[] = [];
    const close = (): void => {
      for (const door of doors) door.close();
    };
    const environment = { ...registries?.environment, ...(isApart ? this.#trust : {}) };
    if (!isApart) {
      const door = await this.#proxy.open(0, wanted);
      return {
        ways: [],
        settings: [],
        environment: { ...environment, ...proxyEnvironment(door.port!), ...javaVariables(javaProxy(door.port!)) },
        close: door.close,
      };
    }
    const ways: { port: number; socket: string }[] = [];
    const add = async (port: number, door: (at: string) => Promise<OpenDoor>): Promise<void> => {
      const name = `${mark}.${port}`;
      doors.push(await door(`/proc/self/fd/${this.#handle.fd}/${name}`));
      ways.push({ port, socket: join(this.#folder, name) });
    };
    try {
      await add(PROXY_PORT, (at) => this.#proxy.open(at, wanted));
      for (const port of new Set(localPorts(allowed))) {
        if (port >= LOWEST_PORT && port !== PROXY_PORT && port !== DOOR_PORT)
          await add(port, (at) => this.#toPort(at, port, wanted));
      }
      const tools = own?.door;
      if (tools !== undefined) await add(DOOR_PORT, (at) => this.#proxy.serve(at, studioDoor(tools)));
    } catch (error) {
      close();
      throw error;
    }
    return {
      ways,
      settings: this.#settings,
      environment: {
        ...environment,
        ...proxyEnvironment(PROXY_PORT),
        ...javaVariables([...javaProxy(PROXY_PORT), ...this.#javaTrust]),
      },
      close,
    };
  }

  /** A port of this machine; one at which the user has a login is read from with it. */
  #toPort(at: string, port: number, wanted: DoorWanted): Promise<OpenDoor> {
    const target = localNames(wanted.allowed, port).find((one) => hasLogin(this.#logins, one, 'http'));
    return target ? this.#proxy.read(at, target, wanted) : this.#proxy.relay(at, port);
  }

  async close(): Promise<void> {
    this.#proxy.close();
    await this.#handle.close();
  }
}

/** Names by which programs may reach a port of this machine over http. */
function localNames(allowed: readonly Allowed[], port: number): Target[] {
  return allowed
    .filter((one) => one.port === port && one.scheme === 'http' && isLocal(one))
    .map(({ host }) => ({ host, port }));
}

function isLocal({ host }: Pick<Allowed, 'host'>): boolean {
  return host === '127.0.0.1' || isLocalName(host);
}

/** Ports of servers of this machine itself: programs ask no proxy for those, since they think of their own. */
function localPorts(allowed: readonly Allowed[]): number[] {
  return allowed.filter(isLocal).map(({ port }) => port);
}
