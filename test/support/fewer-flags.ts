/**
 * A script that starts a browser without the flags that begin so. `starts` are words of the shell, or a variable of the
 * environment that it is started with.
 */
export const withFewerFlags = (browser: string, starts: string, more = ''): string => `#!/bin/sh
for arg; do
  shift
  for flag in ${starts}; do case "$arg" in "$flag"*) continue 2 ;; esac; done
  set -- "$@" "$arg"
done
exec "${browser}" ${more} "$@"
`;
