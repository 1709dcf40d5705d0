#!/bin/sh
# PostgreSQL, NATS, three weft serve and HAProxy on this machine, as compose.yaml has them in containers. Ctrl-C ends all of them.
#   FOLDER: where the database and the logs are. PORT: where peers come in; the eight ports behind it are taken too.
#   WEFT: the program, if it is not the weft of this checkout or of the path.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${FOLDER:-./weft-cluster}
port=${PORT:-8080}
if [ -z "${WEFT:-}" ]; then
  WEFT=$here/../../cli/bin/weft.js
  [ -e "$WEFT" ] || WEFT=$(command -v weft)
fi
[ -x "$WEFT" ] && case $WEFT in *.js) run="node $WEFT" ;; *) run=$WEFT ;; esac || run="node $WEFT"

fail() {
  echo "without-containers: $1" >&2
  exit 1
}
postgres=$(ls -d /usr/lib/postgresql/*/bin 2> /dev/null | sort -t/ -k5 -n | tail -n 1)
[ -n "$postgres" ] || postgres=$(dirname "$(command -v postgres || echo /nowhere/postgres)")
[ -x "$postgres/postgres" ] || fail 'PostgreSQL is not here: apt-get install postgresql'
for program in nats-server haproxy node; do
  command -v "$program" > /dev/null || PATH=$PATH:/usr/sbin command -v "$program" > /dev/null || fail "$program is not here: install it"
done
PATH=$PATH:/usr/sbin

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
# PostgreSQL does not run as root.
as=
if [ "$(id -u)" = 0 ]; then
  as='setpriv --reuid=65534 --regid=65534 --clear-groups'
  chmod 755 "$folder"
  $as test -x "$folder" || fail "PostgreSQL runs as nobody here, who cannot reach $folder: name another FOLDER"
fi
secret() {
  [ -e "$folder/$1" ] || (umask 077 && od -An -tx1 -N16 /dev/urandom | tr -d ' \n' > "$folder/$1")
  cat "$folder/$1"
}
PGPASSWORD=$(secret database.password)
WEFT_BUS_PASSWORD=$(secret bus.password)
WEFT_ADMIN_TOKEN=$(secret admin.token)
export PGPASSWORD WEFT_BUS_PASSWORD WEFT_ADMIN_TOKEN
database=$((port + 1))
bus=$((port + 2))

started=
end() {
  trap - EXIT INT TERM
  # The last ones first: nobody loses what it stands on.
  for one in $started; do
    kill "$one" 2> /dev/null || true
    wait "$one" 2> /dev/null || true
  done
}
trap end EXIT
trap 'exit 0' INT TERM
# Starts a program in the background, with its log in the folder.
start() {
  log=$1
  shift
  "$@" >> "$folder/$log.log" 2>&1 &
  started="$! $started"
}
until_so() {
  tries=0
  until "$@" > /dev/null 2>&1; do
    tries=$((tries + 1))
    [ "$tries" -lt 300 ] || fail "this does not come true: $*; look into the logs in $folder"
    sleep 0.2
  done
}

if [ ! -e "$folder/database/PG_VERSION" ]; then
  mkdir -p "$folder/database"
  if [ -n "$as" ]; then chown 65534:65534 "$folder/database"; fi
  pass=$(mktemp)
  printf '%s\n' "$PGPASSWORD" > "$pass"
  chmod 644 "$pass"
  $as "$postgres/initdb" -D "$folder/database" -U weft --auth=scram-sha-256 --pwfile="$pass" -E UTF8 --locale=C > "$folder/initdb.log"
  rm -f "$pass"
fi
start database $as "$postgres/postgres" -D "$folder/database" -c listen_addresses=127.0.0.1 -c port="$database" -c unix_socket_directories=
start bus nats-server -a 127.0.0.1 -p "$bus" --user weft --pass "$WEFT_BUS_PASSWORD"
until_so "$postgres/pg_isready" -h 127.0.0.1 -p "$database"

# Two descriptors for each connection, as far as this shell may give them.
files=$(ulimit -n)
most=20000
if [ "$files" != unlimited ] && [ "$files" -lt 40100 ]; then most=$(((files - 100) / 2)); fi
balanced=$(sed "s/bind :80$/bind 127.0.0.1:$port/; s/maxconn 20000/maxconn $most/" "$here/haproxy.cfg")
for i in 1 2 3; do
  peers=$((port + 1 + 2 * i))
  admin=$((peers + 1))
  export WEFT_STORE="postgres://weft@127.0.0.1:$database/postgres" WEFT_BUS="nats://weft@127.0.0.1:$bus" WEFT_LISTEN="127.0.0.1:$peers" \
    WEFT_ADMIN_ADDR="127.0.0.1:$admin" WEFT_PUBLIC_HOST="${PUBLIC_HOST:-localhost:$port,127.0.0.1:$port}" WEFT_TRUST_PROXY=127.0.0.1
  # shellcheck disable=SC2086
  start "weft-$i" $run serve
  echo "weft-$i is process $!"
  balanced=$(printf '%s\n' "$balanced" | sed "s/weft-$i:7878 port 7901/127.0.0.1:$peers port $admin/")
done
printf '%s\n' "$balanced" > "$folder/haproxy.cfg"
for i in 1 2 3; do
  admin=$((port + 2 + 2 * i))
  until_so node -e "fetch('http://127.0.0.1:$admin/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"
done
start balancer haproxy -db -f "$folder/haproxy.cfg"
until_so node -e "require('node:net').connect($port, '127.0.0.1').on('connect', () => process.exit(0)).on('error', () => process.exit(1))"
echo "rooms are at ws://127.0.0.1:$port/ws/<room>"
# A signal ends this wait, and then everything.
wait
