/**
 * What carries frames between the processes of a trial, with a link of ours wherever it can be harmed: to the NATS that is between them
 * all, or over TCP from each to each other one.
 */
import { CutLink } from '../support/servers/cut-link.js';
import { NatsServer } from '../support/servers/nats.js';
import { freePort } from '../support/servers/postgres.js';

export interface TriedBus {
  readonly name: 'nats' | 'tcp';
  /** Variables that a process is started with. */
  env(i: number): Readonly<Record<string, string>>;
  /** Text of a module that a process loads before anything else. */
  program(i: number): string;
  /** Links by which a process reaches the others. */
  links(i: number): readonly CutLink[];
  /** A process is there, or is not any more: then nobody listens at its address. */
  came(i: number): Promise<void>;
  went(i: number): Promise<void>;
  /** Nothing gets through, until `up`. */
  down(): Promise<void>;
  up(): Promise<void>;
  freeze(ms: number): Promise<void>;
  close(): Promise<void>;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export async function overNats(size: number): Promise<TriedBus> {
  const nats = await NatsServer.start();
  const links = await Promise.all(Array.from({ length: size }, () => CutLink.before(nats.port)));
  return {
    name: 'nats',
    env: (i) => ({
      WEFT_BUS: nats.address.replace(`:${nats.port}`, `:${links[i]!.port}`),
      WEFT_BUS_PASSWORD: nats.password,
    }),
    program: () => '',
    links: (i) => [links[i]!],
    came: () => Promise.resolve(),
    went: () => Promise.resolve(),
    down: () => nats.kill(),
    up: () => nats.up(),
    freeze: (ms) => nats.freeze(ms),
    async close() {
      for (const link of links) await link.close();
      await nats.kill();
    },
  };
}

/** Each process dials the port of another one and comes out at a link of its own to that. */
export async function overTcp(size: number): Promise<TriedBus> {
  const ports = await Promise.all(Array.from({ length: size }, () => freePort()));
  const pairs = await Promise.all(
    ports.flatMap((port, to) =>
      ports.flatMap((_, from) => (from === to ? [] : [CutLink.before(port).then((link) => ({ from, to, link }))])),
    ),
  );
  const each = async (act: (link: CutLink) => void | Promise<void>): Promise<void> => {
    for (const { link } of pairs) await act(link);
  };
  return {
    name: 'tcp',
    env: (i) => ({ WEFT_CLUSTER_ADDR: `127.0.0.1:${ports[i]!}` }),
    program(i) {
      const ways = pairs.filter(({ from }) => from === i).map(({ to, link }) => [ports[to]!, link.port]);
      return `
        import { Socket } from 'node:net';
        const ways = new Map(${JSON.stringify(ways)});
        const { connect } = Socket.prototype;
        Socket.prototype.connect = function (...given) {
          const [options] = Array.isArray(given[0]) ? given[0] : given;
          if (ways.has(options?.port)) options.port = ways.get(options.port);
          return connect.apply(this, given);
        };`;
    },
    links: (i) => pairs.filter(({ from }) => from === i).map(({ link }) => link),
    came: (i) =>
      each((link) => (pairs.some((pair) => pair.link === link && pair.to === i) ? link.listen() : undefined)),
    went: (i) => each((link) => (pairs.some((pair) => pair.link === link && pair.to === i) ? link.leave() : undefined)),
    down: () =>
      each((link) => {
        link.become('closed');
        link.cut();
      }),
    up: () => each((link) => link.become('pass')),
    async freeze(ms) {
      await each((link) => link.become('hold'));
      await sleep(ms);
      await each(async (link) => {
        link.become('pass');
        link.release();
      });
    },
    close: () => each((link) => link.close()),
  };
}
