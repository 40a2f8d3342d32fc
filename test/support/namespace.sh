#!/bin/sh
# Runs "$NODE $WORLD" in a new network namespace. Its routes lead every address to the loopback interface, so that every
# connection arrives at this machine and no packet leaves it. Two more interfaces are connected to each other, because a
# browser that finds loopback only believes that it is offline and tries less. They create no addresses by themselves,
# because a browser drops its connections when an address is added. $RESOLVER is the only name server: the resolvers that
# listen on a socket file are hidden. $FOLDER holds the files.
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
