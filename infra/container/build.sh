#!/usr/bin/env bash
# Builds the image, starts it in a network of its own, and runs the smoke test in it. Root runs it in any folder:
#   infra/container/build.sh
# Docker does the work. Where no daemon answers, Podman does, which needs none: apt-get install podman runc mmdebstrap
# EXTRA_CA_FILE: PEM file of certificate authorities that npm needs to reach its registry.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=infra/container
base=docker.io/library/debian:trixie-slim
name=page-audit-build-$$

say() { printf '\n== %s\n' "$*"; }
fail() { printf '%s\n' "$*" >&2; exit 1; }

if docker info >/dev/null 2>&1; then
  engine=(docker)
  limits=()
  build=()
elif command -v podman >/dev/null && command -v runc >/dev/null; then
  engine=(podman --runtime runc)
  # Podman's own limits need CAP_SYS_RESOURCE.
  limits=(--ulimit nofile=16384:16384 --ulimit nproc=4096:4096)
  build=(--isolation chroot --network host --layers=false --ignorefile "$here/Dockerfile.dockerignore")
  if ! "${engine[@]}" image exists "$base" && ! "${engine[@]}" pull --quiet "$base"; then
    command -v mmdebstrap >/dev/null || fail "$base can't be pulled. Install mmdebstrap, which makes it from Debian's packages."
    say "Making $base from Debian's packages"
    mmdebstrap --quiet --variant=minbase --dpkgopt=force-unsafe-io --format=tar trixie - http://deb.debian.org/debian |
      "${engine[@]}" import --quiet - "$base"
  fi
else
  fail 'No Docker daemon answers, and there is no Podman. Install Docker, or: apt-get install podman runc mmdebstrap'
fi

say "Building the image page-audit with ${engine[0]}"
[ -z "${EXTRA_CA_FILE:-}" ] || build+=(--secret "id=ca,src=$EXTRA_CA_FILE")
"${engine[@]}" build ${build[@]+"${build[@]}"} --platform linux/amd64 --file "$here/Dockerfile" --tag page-audit .

say 'Starting it with no way out'
logs() { "${engine[@]}" logs "$name" >&2 || true; }
trap '"${engine[@]}" rm --force --volumes "$name" >/dev/null 2>&1 || true' EXIT
mapfile -t options < <(tr ' ' '\n' <"$here/run-options")
"${engine[@]}" run --detach --name "$name" --network none --env TARGETS=local --memory 6g ${limits[@]+"${limits[@]}"} "${options[@]}" page-audit
inside() { "${engine[@]}" exec "$@"; }

# Control groups of version 1 leave "container" unguarded. The sandbox is there with these options on every kernel that allows it.
ready="fetch('http://127.0.0.1:4080/ready').then(async (answer) => {
  if (!answer.ok) process.exit(1);
  const { unguarded } = await answer.json();
  console.log('Not guarded here: ' + (unguarded.join(', ') || 'nothing'));
  if (unguarded.includes('sandbox')) process.exit(2);
}, () => process.exit(1))"
for ((tries = 0; ; tries++)); do
  status=0
  inside "$name" node -e "$ready" || status=$?
  [ "$status" != 0 ] || break
  [ "$status" != 2 ] || { logs; fail 'The sandbox of Chromium does not start. Does this kernel let users create namespaces?'; }
  [ "$tries" != 120 ] || { logs; fail 'The container is not ready.'; }
  sleep 1
done

say 'Auditing its sample page'
key=$(inside "$name" node infra/operator/keys.ts create --owner build --name 'Build of the image' | grep -o 'pas_[0-9a-f_]*')
inside --env "PAGE_AUDIT_KEY=$key" "$name" node infra/operator/smoke.ts --url http://127.0.0.1:4080 --regions us-west1 || { logs; exit 1; }

say 'Stopping it'
"${engine[@]}" stop --time 15 "$name" >/dev/null
[ "$("${engine[@]}" inspect --format '{{.State.ExitCode}}' "$name")" = 0 ] || { logs; fail 'The service did not stop by itself.'; }
say 'The image page-audit starts, audits and stops.'
