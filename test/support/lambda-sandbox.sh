#!/bin/sh -e
# Runs "$NODE $RUNTIME" as Lambda would run a function. Start it as root, in new mount and process namespaces (unshare).
# The root folder holds as little as Lambda's: the function's code, Node and its libraries, all read-only, and a private
# /tmp. It has no /dev/shm, no fonts and no desktop libraries. CODE, RUNTIME, ROOT, TMP_MB, PROCESSES and SANDBOX_USER are
# settings of the sandbox.
mount --make-rprivate /
mount -t tmpfs -o mode=0755 lambda "$ROOT"
cd "$ROOT"
mkdir -p dev etc proc tmp var/lang/bin var/runtime var/task
for file in null zero full random urandom; do touch dev/$file; mount --bind /dev/$file dev/$file; done
sqlite=$(PATH=$PATH:/sbin ldconfig -p | grep -o '/.*libsqlite3\.so\.0$' | head -1) # Amazon Linux has it, and NSS needs it
for library in "$sqlite" $(ldd "$NODE" "$sqlite" | grep -o '[[:space:]]/[^ ]*\.so[^ ]*'); do
  mkdir -p ".${library%/*}"
  cp -L "$library" ".$library"
done
echo "sandbox:x:$SANDBOX_USER:990::/home/sandbox:/sbin/nologin" > etc/passwd
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
  # Refuses system calls, by the number of each on x64. A rule may have conditions for arguments.
  my ($load, $equals, $has, $answer) = (0x20, 0x15, 0x45, 0x06);
  my ($denied, $missing) = (0x50001, 0x50026); # EPERM, ENOSYS
  my @rules = (
    [157, $denied],                              # prctl: no subreaper, no signal at the death of the parent
    [272, $denied],                              # unshare
    [56, $denied, [0, $has, 0x10000000]],        # clone with CLONE_NEWUSER, which the sandbox of Chromium needs
    [435, $missing],                             # clone3, so that callers use clone: a filter cannot read its arguments
    [54, $denied, [1, $equals, 1], [2, $equals, 16]], # setsockopt with SO_PASSCRED, which only the zygote of Chromium needs
  );
  my @program;
  for (@rules) {
    my ($call, $errno, @conditions) = @$_;
    my @rest = map { [$load, 0, 0, 16 + 8 * $$_[0]], [$$_[1], 0, 0, $$_[2]] } @conditions;
    push @rest, [$answer, 0, 0, $errno];
    my @block = ([$load, 0, 0, 0], [$equals, 0, 0, $call], @rest);
    for (0 .. $#block) { $block[$_][2] = $#block - $_ if $block[$_][0] == $equals || $block[$_][0] == $has } # else the next rule
    push @program, @block;
  }
  push @program, [$answer, 0, 0, 0x7fff0000];
  my $filter = join "", map { pack "SCCL", @$_ } @program;
  syscall(157, 22, 2, my $packed = pack("S x6 P", scalar @program, $filter)) == 0 or die "no filter of system calls: $!";
  chroot $ENV{ROOT} and chdir "/var/task" or die "no chroot: $!";
  my $user = $ENV{SANDBOX_USER};
  delete @ENV{qw(ROOT PERL_BADLANG SANDBOX_USER)};
  $) = $( = "990 990"; $< = $> = $user;
  # This process is process 1, as the init of Lambda is. It reaps its own child only.
  my $node = fork;
  if (!$node) { exec "/var/lang/bin/node", "/var/runtime/index.ts" or die "no Node: $!" }
  waitpid $node, 0;
  exit($? >> 8 || $? & 127);
'
