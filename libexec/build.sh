# shellcheck shell=bash
# Builds the distribution from the source tree.

# Prints the folder of the distribution: this folder, or in the source tree the output of the build.
distribution() {
  if [ -e "$HOLDFAST_HOME/pom.xml" ]; then
    printf '%s\n' "$HOLDFAST_HOME/karaf-assembly/target/assembly"
  else
    printf '%s\n' "$HOLDFAST_HOME"
  fi
}

# Fails when only the package holdfast-client is installed. It has the commands but not the node.
require_container() {
  [ -e "$HOLDFAST_HOME/pom.xml" ] || [ -d "$HOLDFAST_HOME/system" ] ||
    fail "this machine has only the commands of Holdfast; for a node, install the package: apt-get install holdfast"
}

# True when no source is newer than the distribution.
is_built() {
  local stamp
  stamp=$(distribution)/etc/distribution.info
  [ -e "$stamp" ] || return 1
  [ -e "$HOLDFAST_HOME/pom.xml" ] || return 0
  [ -z "$(cd "$HOLDFAST_HOME" && find pom.xml holdfast libexec deploy build bundles \
    engines frontends attachers backup-targets image-sources share-nfs ui features karaf-assembly \( -name target -o -name node_modules \) -prune -o -path '*/src/test' -prune \
    -o -type f -newer "$stamp" -print -quit)" ]
}

needs_build() {
  ! is_built && { [ -z "${HOLDFAST_NO_BUILD:-}" ] || [ ! -d "$(distribution)/system" ]; }
}

ensure_built() {
  if needs_build; then
    build
  fi
}

build() {
  local log pid
  require_java jdk
  require build_requirements
  mkdir -p "$HOLDFAST_HOME/.cache"
  log=$HOLDFAST_HOME/.cache/build.log
  printf 'Building (the first time takes some minutes) '
  (cd "$HOLDFAST_HOME" && exec mvn -q -B -Dmaven.test.skip=true package -pl karaf-assembly -am) > "$log" 2>&1 < /dev/null &
  pid=$!
  while kill -0 "$pid" 2> /dev/null; do
    printf .
    sleep 2
  done
  if wait "$pid"; then
    say " done"
  else
    say " failed"
    tail -n 40 "$log" >&2
    fail "the build failed; all of its output is in $log"
  fi
}
