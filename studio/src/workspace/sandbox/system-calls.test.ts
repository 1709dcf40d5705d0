/** The filter of system calls, read as the kernel reads it. */
import { describe, expect, it } from 'vitest';
import { systemCallFilter } from './system-calls.js';

interface Call {
  readonly number: number;
  readonly machine?: number;
  readonly args?: readonly number[];
}

/** What the kernel answers to a call: an error's number, or 0 where it lets it through. */
function answered(filter: Buffer, { number, machine = 0xc000_003e, args = [] }: Call): number {
  const about = Buffer.alloc(64);
  about.writeUInt32LE(number, 0);
  about.writeUInt32LE(machine, 4);
  for (const [at, value] of args.entries()) about.writeBigUInt64LE(BigInt(value), 16 + 8 * at);
  let held = 0;
  for (let place = 0; place < filter.length / 8; place++) {
    const [code, then, otherwise] = [filter.readUInt16LE(8 * place), filter[8 * place + 2]!, filter[8 * place + 3]!];
    const value = filter.readUInt32LE(8 * place + 4);
    if (code === 0x06) return value === 0x7fff_0000 ? 0 : value & 0xffff;
    if (code === 0x20) held = about.readUInt32LE(value);
    else if (code === 0x15) place += held === value ? then : otherwise;
    else if (code === 0x35) place += held >= value ? then : otherwise;
    else if (code === 0x45) place += (held & value) === 0 ? otherwise : then;
    else throw new Error(`no instruction is ${code}`);
  }
  throw new Error('it ends without an answer');
}

describe.each([
  ['x64', 0xc000_003e, { read: 0, socket: 41, clone: 56, unshare: 272, ioctl: 16, keyctl: 250, bpf: 321, mount: 165 }],
  [
    'arm64',
    0xc000_00b7,
    { read: 63, socket: 198, clone: 220, unshare: 97, ioctl: 29, keyctl: 219, bpf: 280, mount: 40 },
  ],
] as const)('on %s', (machine, word, calls) => {
  const filter = systemCallFilter(machine);
  const ask = (number: number, ...args: readonly number[]) => answered(filter, { number, machine: word, args });

  it('lets through what programs do', () => {
    expect(ask(calls.read, 3)).toBe(0);
    expect(ask(calls.clone, 0x0120_0011)).toBe(0);
    expect(ask(calls.ioctl, 0, 0x5401)).toBe(0);
    for (const family of [1, 2, 10, 16]) expect(ask(calls.socket, family), String(family)).toBe(0);
  });

  it('refuses sockets of other kinds, those to the host of a virtual machine among them', () => {
    for (const family of [0, 3, 17, 38, 40, 41, 44]) expect(ask(calls.socket, family), String(family)).toBe(97);
  });

  it('refuses keys of the session, rights of its own, what types into a terminal, and mounts', () => {
    expect(ask(calls.keyctl)).toBe(1);
    expect(ask(calls.bpf)).toBe(1);
    expect(ask(calls.mount)).toBe(1);
    expect(ask(calls.clone, 0x1000_0011)).toBe(1);
    expect(ask(calls.unshare, 0x1002_0000)).toBe(1);
    expect(ask(calls.unshare, 0x0000_0200)).toBe(0);
    expect(ask(calls.ioctl, 0, 0x5412)).toBe(1);
    expect(ask(435)).toBe(38);
    expect(ask(425)).toBe(38);
  });

  it('refuses all calls of what was built for another machine', () => {
    expect(answered(filter, { number: calls.read, machine: 0x4000_0003 })).toBe(38);
    expect(answered(filter, { number: calls.keyctl, machine: 0x4000_0003 })).toBe(38);
  });
});

it('refuses the other calling convention of 64-bit Intel, which has numbers of its own', () => {
  expect(answered(systemCallFilter('x64'), { number: 0x4000_0000 + 41, args: [40] })).toBe(38);
});
