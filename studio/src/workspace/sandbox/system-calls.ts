/**
 * Filter of system calls of confined programs, as the kernel reads it (classic BPF). What is refused are doors that no namespace closes, such
 * as sockets to the host of a virtual machine and keys of the session, and parts of the kernel that builds and tests do not need. A
 * refused call fails as it does on a kernel without it, so programs go another way where they have one. Pure.
 */

/** Machines that the filter is written for, by Node's names. */
export type FilteredMachine = 'x64' | 'arm64';

export function isFilteredMachine(machine: string): machine is FilteredMachine {
  return machine === 'x64' || machine === 'arm64';
}

/** Names of machines in the kernel's word for them. */
const MACHINES: Readonly<Record<FilteredMachine, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };
/** From here on, calls of 64-bit Intel are those of another calling convention, under other numbers. */
const OTHER_CONVENTION = 0x4000_0000;

type Numbers = readonly [x64: number, arm64: number];

/** Calls that are refused whatever they are given, as forbidden. */
const FORBIDDEN: Readonly<Record<string, Numbers>> = {
  // Keys of the user's session are handed down to every program of his.
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // Code and counters in the kernel.
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  // The machine as a whole.
  acct: [163, 89],
  quotactl: [179, 60],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  syslog: [103, 116],
  // Views of the file system, and files by something else than a path.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_by_handle_at: [304, 265],
  setns: [308, 268],
};

/** Calls that are refused as ones that this kernel does not have: who calls them knows another way. */
const UNKNOWN: Readonly<Record<string, Numbers>> = {
  // Its arguments lie where a filter cannot look.
  clone3: [435, 435],
  // It makes sockets without asking for one.
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
};

const SOCKET: Numbers = [41, 198];
const CLONE: Numbers = [56, 220];
const UNSHARE: Numbers = [272, 97];
const IOCTL: Numbers = [16, 29];

/** Families of sockets: of this machine's files, the two of the internet, and questions to the kernel about networks. */
const FAMILIES = [1, 2, 10, 16];
/** Asks for rights in a namespace of its own. */
const NEW_USER = 0x1000_0000;
/** What types into a terminal, or takes from its screen. */
const OF_TERMINALS = [0x5412, 0x541c];

const [FORBIDDEN_IS, UNKNOWN_IS, NO_FAMILY_IS] = [1, 38, 97];
const ALLOW = 0x7fff_0000;
const refused = (error: number): number => 0x0005_0000 | error;

/** One instruction: its code, how far it jumps where it holds and where not, and its number. */
type Instruction = readonly [code: number, then: number, otherwise: number, value: number];
const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const give = (value: number): Instruction => [0x06, 0, 0, value];
const NUMBER = load(0);
const MACHINE = load(4);
/** Lower half of an argument, on machines that store it first. */
const argument = (index: number): Instruction => load(16 + 8 * index);

/** Instructions that are gone through where the call is this one. */
function onCall(number: number, then: readonly Instruction[]): Instruction[] {
  return [[0x15, 0, then.length, number], ...then];
}

/** Ends with one answer where a value is among these, and with another where it is not. */
function among(values: readonly number[], those: Instruction, others: Instruction): Instruction[] {
  return [...values.map((value, at): Instruction => [0x15, values.length - at, 0, value]), others, those];
}

export function systemCallFilter(machine: FilteredMachine): Buffer {
  const at = machine === 'x64' ? 0 : 1;
  const [forbidden, unknown, allowed] = [give(refused(FORBIDDEN_IS)), give(refused(UNKNOWN_IS)), give(ALLOW)];
  const bits = (index: number): Instruction[] => [argument(index), [0x45, 0, 1, NEW_USER], forbidden, allowed];
  const program: Instruction[] = [
    // What was built for another machine would have other numbers.
    MACHINE,
    [0x15, 1, 0, MACHINES[machine]],
    unknown,
    NUMBER,
    ...(machine === 'x64' ? ([[0x35, 0, 1, OTHER_CONVENTION], unknown] as const) : []),
    ...Object.values(FORBIDDEN).flatMap((numbers) => onCall(numbers[at]!, [forbidden])),
    ...Object.values(UNKNOWN).flatMap((numbers) => onCall(numbers[at]!, [unknown])),
    ...onCall(SOCKET[at]!, [argument(0), ...among(FAMILIES, allowed, give(refused(NO_FAMILY_IS)))]),
    ...onCall(CLONE[at]!, bits(0)),
    ...onCall(UNSHARE[at]!, bits(0)),
    ...onCall(IOCTL[at]!, [argument(1), ...among(OF_TERMINALS, forbidden, allowed)]),
    allowed,
  ];
  const bytes = Buffer.alloc(8 * program.length);
  for (const [place, [code, then, otherwise, value]] of program.entries()) {
    bytes.writeUInt16LE(code, 8 * place);
    bytes.writeUInt8(then, 8 * place + 2);
    bytes.writeUInt8(otherwise, 8 * place + 3);
    bytes.writeUInt32LE(value, 8 * place + 4);
  }
  return bytes;
}
