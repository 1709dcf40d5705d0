# Boots systemd on a view of this machine in which nothing that is written stays: namespaces of its own, over an overlay in
# memory. Needs a root that may mount. Called as: machine.sh <empty folder> <folder seen as it is> <folder for images> <name>
set -eu
mount -t tmpfs tmpfs "$1"
cd "$1"
mkdir up work root groups
mount -t overlay overlay -o lowerdir=/,upperdir=up,workdir=work root
mount -t cgroup2 cgroup2 groups
mkdir "groups/$4"
echo $$ > "groups/$4/cgroup.procs"
exec unshare --cgroup sh -eu -c '
  cd root
  mount -t proc proc proc
  # Of what the kernel is told by files only that of its own network may change.
  mount --bind proc/sys/net proc/sys/net
  mount --rbind proc/sys proc/sys
  mount -o remount,bind,ro proc/sys
  mount -t sysfs -o ro sysfs sys
  mount -t cgroup2 cgroup2 sys/fs/cgroup
  for place in run tmp dev; do mount -t tmpfs -o mode=755 tmpfs $place; done
  chmod 1777 tmp
  # Devices of its own: what is done to these files is not done to those outside.
  mknod -m 666 dev/null c 1 3
  mknod -m 666 dev/zero c 1 5
  mknod -m 666 dev/full c 1 7
  mknod -m 666 dev/random c 1 8
  mknod -m 666 dev/urandom c 1 9
  mknod -m 666 dev/tty c 5 0
  mkdir dev/pts dev/shm
  mount -t tmpfs tmpfs dev/shm
  mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
  ln -s pts/ptmx dev/ptmx
  ln -s /proc/self/fd dev/fd
  mkdir -p ".$1" var/lib/containers
  mount --rbind "$1" ".$1"
  mount --rbind "$2" var/lib/containers
  # Of all that the packages of this machine would start, only the journal.
  units=etc/systemd/system
  rm -rf $units/*.wants usr/lib/systemd/system/*.target.wants
  printf "[Unit]\nRequires=systemd-journald.service\nAfter=systemd-journald.service\n" > $units/machine.target
  mkdir old
  pivot_root . old
  umount -l old
  mount --make-rshared /
  ip link set lo up
  exec env -i container=weft PATH="$PATH" /lib/systemd/systemd --unit=machine.target
' machine "$2" "$3"
