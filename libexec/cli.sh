# shellcheck shell=bash
# Runs the Java command line, which implements all commands for volumes.

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

# Sets java_cli to the command line without the arguments of the user.
prepare_cli() {
  local jar
  jar=$(cli_jar)
  # The process is short-lived: use only the first compiler, the smallest collector and a class
  # archive.
  java_cli=("$JAVA_HOME/bin/java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto
    -Dorg.slf4j.simpleLogger.defaultLogLevel=error)
  if [ ! -e "$HOLDFAST_HOME/lib/cli" ]; then
    # In the source tree, the plugins are in their build folders.
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

# --- the JVM's class archive, which saves half of a command's time --------------------------

# Sets archive to the path of the class archive for this jar and this JVM. The archive is in the
# user's own cache, so that the distribution stays read-only and no archive of another user is read.
# The variable is empty when the user has no cache folder or the file name would be too long.
name_archive() { # JAR
  local folder=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}} name=$1$JAVA_HOME
  archive=
  if [ -n "$folder" ] && [ "${#name}" -lt 240 ]; then
    archive=$folder/holdfast/classes/${name//\//-}.jsa
  fi
}

# Creates the archive unless a usable one exists. It contains the classes that `volume list` loads.
# Errors are ignored, because commands run without the archive, only slower.
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
  # Delete old archives, for example those of removed jars. The next start recreates one in use.
  mkdir -p "$folder" && find "$folder" -mindepth 1 -mtime +30 -delete &&
    new=$(mktemp -d "$folder/new.XXXXXX") || return
  trap 'rm -rf "$new"' EXIT  # applies to the subshell of this function
  # Sync the file before the rename, so that a power cut leaves the complete archive or none.
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
