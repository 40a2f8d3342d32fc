/**
 * Returns a shell script that starts a browser without some flags. `starts` lists how these flags start: shell words, or an
 * environment variable with them.
 */
export const withFewerFlags = (browser: string, starts: string, more = ''): string => `#!/bin/sh
for arg; do
  shift
  for flag in ${starts}; do case "$arg" in "$flag"*) continue 2 ;; esac; done
  set -- "$@" "$arg"
done
exec "${browser}" ${more} "$@"
`;
