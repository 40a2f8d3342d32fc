#!/bin/sh -e
# Runs "$NODE $RUNTIME" as Lambda would run a function. Start it as root, in new mount and process namespaces (unshare).
# The root folder holds as little as Lambda's: the function's code, Node and its libraries, all read-only, and a private
# /tmp. It has no /dev/shm, no fonts and no desktop libraries. CODE, RUNTIME, ROOT, TMP_MB and PROCESSES are settings of
# the sandbox.
mount --make-rprivate /
mount -t tmpfs -o mode=0755 lambda "$ROOT"
cd "$ROOT"
mkdir -p dev etc proc tmp var/lang/bin var/runtime var/task
for file in null zero full random urandom; do touch dev/$file; mount --bind /dev/$file dev/$file; done
ldd "$NODE" | grep -o '/[^ ]*' | while read -r library; do
  mkdir -p ".${library%/*}"
  cp -L "$library" ".$library"
done
echo 'sandbox:x:993:990::/home/sandbox:/sbin/nologin' > etc/passwd
echo '127.0.0.1 localhost' > etc/hosts
cp -L /etc/resolv.conf etc/ 2>/dev/null || true
touch var/lang/bin/node var/runtime/index.ts
mount --bind "$NODE" var/lang/bin/node
mount --bind "$RUNTIME" var/runtime/index.ts
mount --bind "$CODE" var/task
mount -t proc proc proc
mount -t tmpfs -o "mode=1777,size=${TMP_MB}m" tmp tmp
mount -o remount,bind,ro var/task
mount -o remount,ro .
limit=$PROCESSES
unset CODE NODE RUNTIME TMP_MB PROCESSES OLDPWD
export PERL_BADLANG=0 # perl would warn of a missing locale

# The order matters: only root may set a system call filter, and a process can't get its files, root folder or user back.
exec prlimit --nofile=1024 --nproc="$limit" perl -e '
  # Denies prctl(PR_SET_NO_NEW_PRIVS) with EPERM and allows all other calls.
  my $filter = pack("(SCCL)6", 0x20,0,0,0, 0x15,0,3,157, 0x20,0,0,16, 0x15,0,1,38, 0x06,0,0,0x50001, 0x06,0,0,0x7fff0000);
  syscall(157, 22, 2, my $program = pack("S x6 P", 6, $filter)) == 0 or die "no filter of system calls: $!";
  chroot $ENV{ROOT} and chdir "/var/task" or die "no chroot: $!";
  delete @ENV{qw(ROOT PERL_BADLANG)};
  $) = $( = "990 990"; $< = $> = 993;
  exec "/var/lang/bin/node", "/var/runtime/index.ts" or die "no Node: $!";
'
