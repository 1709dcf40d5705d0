/**
 * Bridge of a confined program: its network has a loopback of its own and nothing else, so ports there are led to sockets of the
 * host's. They take connections before the program begins. In Perl, which starts in a tenth of the time of Node, and
 * which systems with git have; no module of it is needed.
 */
import { join } from 'node:path';

/** Port at which a confined program finds the proxy. */
export const PROXY_PORT = 17_779;
/** Port at which an agent program finds the studio's tools. */
export const DOOR_PORT = 17_780;
/** Folder of the sockets, inside. */
const SOCKETS_INSIDE = '/run/weft';

/** A port inside, and the socket of the host that it leads to. */
export interface Way {
  readonly port: number;
  readonly socket: string;
}

/**
 * Arguments: how many ways there are, port and socket of each, the program. What listens is left by two forks, so the program knows no child that it
 * has not begun; each connection is copied by two processes, one for each direction. 2 and 1 are AF_INET and AF_UNIX, the next
 * 1 is SOCK_STREAM.
 */
const SCRIPT = String.raw`
use strict;
# What the host was started with, and its children were given.
opendir(my $open, '/proc/self/fd') or die "weft: $!\n";
for (grep { /^\d+$/ && $_ > 2 && $_ != fileno $open } readdir $open) { my $h; open($h, '<&=', $_) and close $h }
closedir $open;
my %to;
for (1 .. shift @ARGV) {
  my ($port, $path) = splice @ARGV, 0, 2;
  socket(my $s, 2, 1, 0) or die "weft: $!\n";
  bind($s, pack('S n C4 x8', 2, $port, 127, 0, 0, 1)) && listen($s, 128)
    or die "weft: port $port of the sandbox cannot be opened: $!\n";
  $to{fileno $s} = [$s, $path];
}
delete $ENV{PERL_BADLANG};
sub begin { exec { $ARGV[0] } @ARGV or do { print STDERR "$ARGV[0]: $!\n"; exit 127 } }
begin() unless %to;
my $first = fork();
die "weft: the sandbox has no process left: $!\n" unless defined $first;
if ($first) {
  waitpid $first, 0;
  begin();
}
exit 0 if fork();
chdir '/';
open STDIN, '<', '/dev/null'; open STDOUT, '>', '/dev/null'; open STDERR, '>', '/dev/null';
$SIG{CHLD} = 'IGNORE';
$SIG{PIPE} = 'IGNORE';
my $all = '';
vec($all, $_, 1) = 1 for keys %to;
while (1) {
  next if select(my $ready = $all, undef, undef, undef) < 1;
  for (grep { vec $ready, $_, 1 } keys %to) {
    my ($s, $path) = @{ $to{$_} };
    accept(my $near, $s) or next;
    my $pid = fork();
    next if !defined $pid or $pid;
    close $$_[0] for values %to;
    socket(my $far, 1, 1, 0) or exit 1;
    connect($far, pack('S a*', 1, $path)) or exit 1;
    my $back = fork();
    exit 1 unless defined $back;
    my ($in, $out) = $back ? ($near, $far) : ($far, $near);
    my $bytes;
    COPY: while (sysread $in, $bytes, 65536) {
      while (length $bytes) {
        my $n = syswrite $out, $bytes;
        last COPY unless $n;
        substr($bytes, 0, $n) = '';
      }
    }
    shutdown $out, 1;
    exit 0;
  }
}
`;

/** Command line of a program behind its bridge; without ways, of one to which no descriptor is left but its three. */
export function bridged(perl: string, ways: readonly Way[], program: readonly string[]): string[] {
  return [
    perl,
    '-e',
    SCRIPT,
    String(ways.length),
    ...ways.flatMap(({ port, socket }) => [String(port), socket]),
    ...program,
  ];
}

/** Variables by which programs find a proxy at this port of their loopback. */
export function proxyEnvironment(port: number): Record<string, string> {
  const [url, own] = [`http://127.0.0.1:${port}`, 'localhost,127.0.0.1,::1'];
  return {
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    http_proxy: url,
    https_proxy: url,
    NO_PROXY: own,
    no_proxy: own,
    // Node since 22.21 and 24 then asks it, too; older ones ask nobody, but package managers do by themselves.
    NODE_USE_ENV_PROXY: '1',
    // A wrong locale is not worth a warning of the bridge.
    PERL_BADLANG: '0',
  };
}

/** Options of Java for it, which knows none of these variables. */
export function javaProxy(port: number): readonly string[] {
  return ['http', 'https'].map((name) => `-D${name}.proxyHost=127.0.0.1 -D${name}.proxyPort=${port}`);
}

/** Place of a socket inside. */
export function socketInside(name: string): string {
  return join(SOCKETS_INSIDE, name);
}
