#!/bin/sh
# Runs a command without taskset and control groups, and with a /proc that shows less. Needs a mount namespace of its own.
# bare FOLDER: /proc is empty, and FOLDER shows the real one. hidepid: /proc shows a user its own processes only.
set -e
mount --make-rprivate /
mount --bind /dev/null "$(command -v taskset)"
mount -t tmpfs none /sys/fs/cgroup
if [ "$1" = bare ]; then
  mount --bind /proc "$2"
  mount -t tmpfs none /proc
  shift
else
  mount -t proc -o hidepid=2,subset=pid proc /proc
fi
shift
exec "$@"
