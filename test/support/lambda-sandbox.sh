#!/bin/sh -e
# Runs "$NODE $RUNTIME" as Lambda would run a function's code: as root, in fresh mount and process namespaces (unshare).
# The root folder then holds no more than Lambda's: the function's code, Node and the libraries Node needs, read-only; a
# private /tmp; no /dev/shm, no fonts, no libraries of a desktop. CODE, NODE, RUNTIME, ROOT and TMP_MB say what and where.
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
unset CODE NODE RUNTIME TMP_MB OLDPWD
export PERL_BADLANG=0 # no word on a language that this machine may not have

# In this order: a filter of system calls may be set by root only, and files, root folder and user are given up for good.
exec prlimit --nofile=1024 --nproc=1024 perl -e '
  # prctl(PR_SET_NO_NEW_PRIVS) answers EPERM, all else is allowed: load the call, compare, load its first argument, compare.
  my $filter = pack("(SCCL)6", 0x20,0,0,0, 0x15,0,3,157, 0x20,0,0,16, 0x15,0,1,38, 0x06,0,0,0x50001, 0x06,0,0,0x7fff0000);
  syscall(157, 22, 2, my $program = pack("S x6 P", 6, $filter)) == 0 or die "no filter of system calls: $!";
  chroot $ENV{ROOT} and chdir "/var/task" or die "no chroot: $!";
  delete @ENV{qw(ROOT PERL_BADLANG)};
  $) = $( = "990 990"; $< = $> = 993;
  exec "/var/lang/bin/node", "/var/runtime/index.ts" or die "no Node: $!";
'
