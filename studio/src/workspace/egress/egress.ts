/** Egress port: the network of confined programs, which is a list of servers and nothing else. */
import type { Refused } from './way.js';

export interface EgressWanted {
  /** Mark of the program, which nobody else has. */
  readonly mark: string;
  /** Repository that it works for: a person may have allowed more for that one. */
  readonly repositoryId?: string | undefined;
  /** Servers of this very program; undefined where it has none of its own. */
  readonly own?: OwnServers | undefined;
  /** Folder that it works in. */
  readonly folder: string;
  /** Hears in a line what was refused. */
  readonly tell?: ((line: string) => void) | undefined;
}

/** What an agent program needs of the network, beside what programs of its repository may reach. */
export interface OwnServers {
  /** Servers of its model. */
  readonly hosts: readonly string[];
  /** The studio's tools: this address alone is led to, whatever else the studio serves there. Absent: none. */
  readonly door?: string | undefined;
  /** Whether it reaches nothing but these. */
  readonly isAll: boolean;
}

/** Way out of one program, for as long as it runs. */
export interface WayOut {
  /** Ports of the loopback inside, and the sockets that they lead to. */
  readonly ways: readonly { readonly port: number; readonly socket: string }[];
  /** Settings of package managers: files of the host, and their paths below the home inside. */
  readonly settings: readonly { readonly from: string; readonly path: string }[];
  readonly environment: Readonly<Record<string, string>>;
  close(): void;
}

/** A refusal, with the program that was refused. */
export interface RefusedProgram extends Refused {
  readonly folder: string;
  readonly repositoryId: string | undefined;
}

export interface Egress {
  wayOut(wanted: EgressWanted): Promise<WayOut>;
  /** Servers that all programs may reach, as people read them. */
  readonly servers: readonly string[];
}
