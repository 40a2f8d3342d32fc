#!/bin/sh
# Runs "$NODE $WORLD" where every address there is belongs to this machine: in a fresh network namespace whose routes lead
# every address to its loopback interface. What is dialled here arrives here, and nothing gets out. The other two
# interfaces lead to each other: a browser that finds loopback alone thinks itself offline, and tries less. They make no
# addresses of their own: one that comes late is a change of network, at which a browser drops what it has under way.
# Names are asked of $RESOLVER only: no resolver that listens on a socket file is in reach. FOLDER is for its files.
set -e
ip link set lo up
ip link add away type veth peer back
ip link set away addrgenmode none
ip link set back addrgenmode none
ip address add 192.168.77.2/24 dev away
ip link set back up
ip link set away up
ip route add default dev away
ip route add local 0.0.0.0/0 dev lo
ip -6 route add local ::/0 dev lo

mount -t tmpfs run /run
resolv="$(readlink -m /etc/resolv.conf)"
mkdir -p "${resolv%/*}"
[ -e "$resolv" ] || touch "$resolv"
echo "nameserver $RESOLVER" > "$FOLDER/resolv.conf"
echo '127.0.0.1 localhost' > "$FOLDER/hosts"
echo 'hosts: files dns' > "$FOLDER/nsswitch.conf"
mount --bind "$FOLDER/resolv.conf" "$resolv"
mount --bind "$FOLDER/hosts" /etc/hosts
mount --bind "$FOLDER/nsswitch.conf" /etc/nsswitch.conf

exec "$NODE" "$WORLD"
