# Makes the image that deploy/Dockerfile begins with of this machine's own files, and podman into docker.
# $1: Node's program. $2: the folder of npm.
set -eu
base=$(mktemp -d)
mkdir -p $base/usr/bin $base/usr/local/bin $base/usr/lib/node_modules $base/etc/ssl/certs $base/tmp "$base$HOME"
ln -s usr/bin $base/bin
take() {
  mkdir -p "$base$(dirname "$1")"
  [ -e "$base$1" ] || cp -L "$1" "$base$1"
}
needs() { ldd "$1" 2> /dev/null | grep -o '/[^ ]*' || true; }
for program in sh mkdir chown ln ls id env ldd; do
  file=$(command -v $program)
  cp -L "$file" $base/usr/bin/
  for library in $(needs "$file"); do take "$library"; done
done
cp -L "$1" $base/usr/bin/node
for library in $(needs "$1") $(ldconfig -p | grep -oE '/[^ ]*/lib(gcc_s|stdc\+\+|dl|m|pthread|rt|nss_dns|resolv)\.so\.[0-9]+$'); do take "$library"; done
cp -a "$2" $base/usr/lib/node_modules/npm
ln -s ../lib/node_modules/npm/bin/npm-cli.js $base/usr/bin/npm
printf 'root:x:0:0::'"$HOME"':/bin/sh\nnode:x:1000:1000::/tmp:/bin/sh\n' > $base/etc/passwd
printf 'root:x:0:\nnode:x:1000:\n' > $base/etc/group
cp -L /etc/ssl/certs/ca-certificates.crt $base/etc/ssl/certs/
chmod 1777 $base/tmp

# The network is the machine's, and its limits cannot be raised where this runs.
mkdir -p /etc/containers
cat > /etc/containers/containers.conf << 'END'
[containers]
cgroups = "disabled"
netns = "host"
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
events_logger = "none"
END
printf '[storage]\ndriver = "overlay"\ngraphroot = "/var/lib/containers/storage"\nrunroot = "/run/containers"\n' > /etc/containers/storage.conf
cat > /usr/local/bin/docker << 'END'
#!/bin/sh
case $1 in
  compose) shift; exec docker-compose "$@" ;;
  build) shift ;;
  *) exec podman "$@" ;;
esac
exec podman build --format docker --layers=false --isolation chroot --network host --pull=never -v "$HOME/.npm:$HOME/.npm" "$@"
END
chmod 755 /usr/local/bin/docker

name=$(sed -n 's/^FROM \(node:[^ ]*\).*/\1/p' deploy/Dockerfile | head -n 1)
tar -C $base -c . | podman import -q -c ENV=PATH=/usr/local/bin:/usr/bin -c ENV=npm_config_prefer_offline=true - docker.io/library/$name
