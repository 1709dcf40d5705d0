# Makes the images that deploy/compose/compose.yaml names, beside Weft's own, of this machine's PostgreSQL, nats-server and HAProxy.
# Each is started by an entry of its own that does with arguments and variables what the image of that name does.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
compose=$here/../../../deploy/compose/compose.yaml
base=$(mktemp -d)
postgres=$(echo /usr/lib/postgresql/*/bin)
mkdir -p $base/usr/bin $base/etc $base/var/run/postgresql $base/var/lib/postgresql $base/usr/share/postgresql $base/usr/local/etc/haproxy
mkdir -m 1777 $base/tmp
ln -s usr/bin $base/bin
copy() {
  mkdir -p "$base$(dirname "$1")"
  [ -e "$base$1" ] || cp -L "$1" "$base$1"
}
# A file and the libraries that it needs.
take() {
  for file in "$@"; do
    copy "$file"
    for library in $(ldd "$file" 2> /dev/null | grep -o '/[^ ]*'); do copy "$library"; done
  done
}
for program in sh id mkdir chown chmod setpriv getent cat; do
  take "$(command -v $program)"
  [ -e $base/usr/bin/$program ] || mv "$base$(command -v $program)" $base/usr/bin/
done
take "$postgres"/* "${postgres%bin}"lib/*.so /usr/sbin/nats-server /usr/sbin/haproxy
take $(ldconfig -p | grep -oE '/[^ ]*/lib(nss_dns|nss_files|resolv)\.so\.[0-9]+$')
cp -a /usr/share/postgresql/. $base/usr/share/postgresql/
cp -a /usr/share/zoneinfo $base/usr/share/
cp $here/*.entry $base/usr/local/
chmod 755 $base/usr/local/*.entry
printf 'root:x:0:0::/:/bin/sh\npostgres:x:999:999::/:/bin/sh\nhaproxy:x:99:99::/:/bin/sh\n' > $base/etc/passwd
printf 'root:x:0:\npostgres:x:999:\nhaproxy:x:99:\n' > $base/etc/group
chown 999:999 $base/var/run/postgresql

image() {
  name=$(sed -n "s/^ *image: \($1:.*\)/\1/p" "$compose")
  shift
  tar -C $base -c . | podman import -q -c ENV=PATH="$postgres:/usr/sbin:/usr/bin:/bin" "$@" - "docker.io/library/$name"
}
image postgres -c 'ENTRYPOINT=["/usr/local/postgres.entry"]' -c 'CMD=["postgres"]' -c STOPSIGNAL=SIGINT
image nats -c 'ENTRYPOINT=["/usr/local/nats.entry"]' -c 'CMD=["nats-server"]'
image haproxy -c 'ENTRYPOINT=["/usr/local/haproxy.entry"]' -c 'CMD=["haproxy","-f","/usr/local/etc/haproxy/haproxy.cfg"]' -c USER=haproxy -c STOPSIGNAL=SIGUSR1
