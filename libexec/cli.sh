# shellcheck shell=bash
# Every volume command is the CLI's.

cli_jar() {
  local jar
  for jar in "$HOLDFAST_HOME/lib/cli/holdfast-cli.jar" "$HOLDFAST_HOME/cli/target/holdfast-cli.jar"; do
    if [ -e "$jar" ]; then
      printf '%s\n' "$jar"
      return 0
    fi
  done
  fail "the command line is not built; run: holdfast up"
}

# Short-lived: the first compiler only, the smallest collector, the shared class archive.
readonly cli_options=(-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto
  -Dorg.slf4j.simpleLogger.defaultLogLevel=error)

run_cli() {
  local jar
  jar=$(cli_jar)
  "$JAVA_HOME/bin/java" "${cli_options[@]}" -jar "$jar" "$@"
}

cli() {
  local jar
  jar=$(cli_jar)
  require_java jre
  exec "$JAVA_HOME/bin/java" "${cli_options[@]}" -jar "$jar" "$@"
}
