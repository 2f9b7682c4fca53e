# shellcheck shell=bash
# Every volume command is the CLI's.

cli_jar() {
  local jar
  for jar in "$HOLDFAST_HOME/lib/cli/holdfast-cli.jar" "$HOLDFAST_HOME/bundles/access/cli/target/holdfast-cli.jar"; do
    if [ -e "$jar" ]; then
      printf '%s\n' "$jar"
      return 0
    fi
  done
  fail "the command line is not built; run: holdfast up"
}

# Sets java_cli: the command line up to the arguments.
prepare_cli() {
  local jar
  jar=$(cli_jar)
  # Short-lived: the first compiler only, the smallest collector, the shared class archive.
  java_cli=("$JAVA_HOME/bin/java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto
    -Dorg.slf4j.simpleLogger.defaultLogLevel=error)
  if [ ! -e "$HOLDFAST_HOME/lib/cli" ]; then
    # In the source tree plugins are where they are built.
    java_cli+=("-Dholdfast.cli.plugins=$(printf '%s:' "$HOLDFAST_HOME"/backup-targets/*/target)")
  fi
  name_archive "$jar"
  if [ -n "$archive" ] && [ "$archive" -nt "$jar" ]; then
    # The JVM silently ignores an archive of another build or of other jars.
    java_cli+=("-XX:SharedArchiveFile=$archive" -Xlog:cds=off -Xlog:class+path=off)
  fi
  java_cli+=(-jar "$jar")
}

run_cli() {
  local java_cli archive
  prepare_cli
  "${java_cli[@]}" "$@"
}

cli() {
  local java_cli archive
  require_java jre
  prepare_cli
  exec "${java_cli[@]}" "$@"
}

# --- the classes of a command as the JVM reads them fastest: half of a command's time -------

# Sets archive: where it is for this jar and this JVM, among this user's own files, so that the
# distribution stays read-only and no archive of another user is read. Empty if there is no folder
# for it.
name_archive() { # JAR
  local folder=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}} name=$1$JAVA_HOME
  archive=
  if [ -n "$folder" ] && [ "${#name}" -lt 240 ]; then
    archive=$folder/holdfast/classes/${name//\//-}.jsa
  fi
}

# Makes the archive where there is none that can be used, by the classes that a command loads which
# is run for it. What fails only leaves commands as slow as they were.
keep_classes() {
  local jar archive
  jar=$(cli_jar)
  name_archive "$jar"
  [ -n "$archive" ] || return 0
  (make_archive "$jar") > /dev/null 2>&1 || true
}

make_archive() { # JAR
  local folder
  ! serves_archive "$1" || return 0
  folder=$(dirname "$archive")
  # Of jars that are no more, for one; what is still used is made again at the next start.
  mkdir -p "$folder" && find "$folder" -mindepth 1 -mtime +30 -delete &&
    new=$(mktemp -d "$folder/new.XXXXXX") || return
  trap 'rm -rf "$new"' EXIT  # of the subshell that this runs in
  # Whole on the disk before it has its name: after a power cut, too, it is this one or none.
  "$JAVA_HOME/bin/java" -XX:+UseSerialGC -XX:DumpLoadedClassList="$new/list" \
    -jar "$1" volume list --data "$data" &&
    "$JAVA_HOME/bin/java" -XX:+UseSerialGC -Xshare:dump -XX:SharedClassListFile="$new/list" \
      -XX:SharedArchiveFile="$new/archive" -cp "$1" &&
    sync "$new/archive" && mv -f "$new/archive" "$archive"
}

serves_archive() { # JAR
  [ "$archive" -nt "$1" ] && "$JAVA_HOME/bin/java" -XX:+UseSerialGC -Xshare:on \
    "-XX:SharedArchiveFile=$archive" -cp "$1" -version
}
