/** Command runner: commands in process groups of their own, with limits. */
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { NodeProcesses } from './node-processes.js';
import { OutputRing } from './output-ring.js';
import type { Ended, Program, Runner, Running } from './runner.js';

const TIMED_OUT = 124;

export function nodeRunner(processes: NodeProcesses): Runner {
  return {
    async run({
      folder,
      below,
      caches,
      network,
      repositoryId,
      command,
      environment = {},
      timeoutMs,
      mostBytes,
      onOutput,
    }: Program): Promise<Running> {
      const both = new OutputRing(2 * mostBytes);
      const [out, err] = [new OutputRing(mostBytes), new OutputRing(mostBytes)];
      const keep = (stream: Readable, ring: OutputRing): void => {
        const decoder = new StringDecoder('utf8');
        stream.on('data', (bytes: Buffer) => {
          ring.add(bytes);
          both.add(bytes);
          onOutput?.(decoder.write(bytes));
        });
      };
      const group = await processes.start({
        folder,
        ...(below === undefined ? {} : { below }),
        ...(caches === undefined ? {} : { caches }),
        ...(network === undefined ? {} : { network }),
        // What the network refuses stands in what the program has written, so that an agent reads it.
        egress: {
          repositoryId,
          tell: (line) => {
            err.add(Buffer.from(line));
            both.add(Buffer.from(line));
            onOutput?.(line);
          },
        },
        program: '/bin/sh',
        args: ['-c', command],
        environment,
        hear: ({ stdin, stdout, stderr }) => {
          stdin.end();
          keep(stdout, out);
          keep(stderr, err);
        },
      });
      const { child } = group;
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = child.exitCode === null && child.signalCode === null;
        void group.stop();
      }, timeoutMs);
      const ended = group.gone.then(({ code, signal, stopped }): Ended => {
        clearTimeout(timer);
        const exitCode = isLate ? TIMED_OUT : (code ?? 128 + (signal ? constants.signals[signal] : 0));
        const why = isLate ? 'timed-out' : stopped ? 'stopped' : 'exited';
        return { exitCode, why, stdOut: out.text(), stdErr: err.text(), truncated: out.truncated || err.truncated };
      });
      return { pid: group.pid, ended, output: () => both.text(), stop: (graceMs) => group.stop(graceMs) };
    },
  };
}
