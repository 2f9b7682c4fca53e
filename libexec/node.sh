# shellcheck shell=bash
# A node that runs: down, status, logs, kubeconfig, shell.

# --- down ----------------------------------------------------------------------------

node_down() {
  local data pid patience=60
  data=$(default_data)
  while [ $# -gt 0 ]; do
    case $1 in
      --*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}"; continue ;;
      --data) data=$(value "$@") || exit; shift ;;
      --timeout) patience=$(value "$@") || exit; check_number "$1" "$2" 1 3600; shift ;;
      *) misuse "down: unknown option $1; see: holdfast help" ;;
    esac
    shift
  done
  data=$(readlink -m "$data")
  if ! pid=$(running_pid); then
    say "Holdfast does not run (data in $data)."
    return 0
  fi
  stop_node "$pid" "$patience"
}

stop_node() { # PID SECONDS
  local deadline=$((SECONDS + $2))
  kill -TERM "$1"
  while kill -0 "$1" 2> /dev/null; do
    if [ "$SECONDS" -ge "$deadline" ]; then
      kill -KILL "$1" 2> /dev/null || true
      rm -f "$data/holdfast.pid"
      fail "the node (pid $1) did not stop within $2 s and was killed; nothing acknowledged is lost, the next up recovers"
    fi
    sleep 0.1
  done
  rm -f "$data/holdfast.pid"
  say "Holdfast stopped."
}

# --- status, logs, kubeconfig, shell ---------------------------------------------------

# Prints the pid of the node of this data directory, if it lives. A recycled number is
# not taken for it.
running_pid() {
  local pid
  [ -r "$data/holdfast.pid" ] && read -r pid < "$data/holdfast.pid" && [[ $pid =~ ^[0-9]+$ ]] || return 1
  tr '\0' '\n' 2> /dev/null < "/proc/$pid/cmdline" | grep -qxF -- "-Dholdfast.data=$data" || return 1
  printf '%s\n' "$pid"
}

# Leaves --data DIR out of the arguments: sets data and rest.
take_data() {
  data=$(default_data)
  rest=()
  while [ $# -gt 0 ]; do
    case $1 in
      --data) data=$(value "$@") || exit; shift ;;
      --data=*) data=${1#*=} ;;
      *) rest+=("$1") ;;
    esac
    shift
  done
  data=$(readlink -m "$data")
}

node_status() {
  local data rest pid output=table
  take_data "$@"
  set -- "${rest[@]}"
  while [ $# -gt 0 ]; do
    case $1 in
      -o | --output) output=$(value "$@") || exit; shift ;;
      -ojson | --output=json) output=json ;;
      *) misuse "status: unknown option $1; see: holdfast help" ;;
    esac
    shift
  done
  case $output in json | table) ;; *) misuse "status: -o takes json or table, not \"$output\"" ;; esac
  load_settings
  pid=$(running_pid) || pid=
  "status_$output" "$pid"
  [ -n "$pid" ]
}

json_string() { local text=${1//\\/\\\\}; printf '"%s"' "${text//\"/\\\"}"; }

status_json() { # PID
  if [ -z "$1" ]; then
    printf '{"pid":null,"data":%s,"nodes":[]}\n' "$(json_string "$data")"
    return
  fi
  printf '{"pid":%d,"ready":%s,"data":%s,"nodes":[{"name":%s,"pid":%d,"addresses":[%s],"ports":{"api":%d,"nbd":%d,"ssh":%d}}]}\n' \
    "$1" "$(is_ready && echo true || echo false)" "$(json_string "$data")" \
    "$(json_string "${setting[name]}")" "$1" \
    "$(json_string "${setting[advertised_address]:-${setting[address]}}")" \
    "${setting[api_port]}" "${setting[nbd_port]}" "${setting[ssh_port]}"
}

status_table() { # PID
  if [ -z "$1" ]; then
    say "Holdfast does not run (data in $data). Start it with: holdfast up"
    return
  fi
  say "Holdfast $(is_ready && echo runs || echo "is starting or not ready") (pid $1)"
  say "  node        ${setting[name]}"
  say "  address     ${setting[address]}"
  say "  ports       api ${setting[api_port]}, nbd ${setting[nbd_port]}, ssh ${setting[ssh_port]}"
  say "  data        $data"
  say "  kubeconfig  $data/kubeconfig"
  say "  log         $data/log/holdfast.log"
}

node_logs() {
  local data rest follow=() lines=200
  take_data "$@"
  set -- "${rest[@]}"
  while [ $# -gt 0 ]; do
    case $1 in
      -f | --follow) follow=(-F) ;;
      -n | --lines) lines=$(value "$@") || exit; check_number "$1" "$2" 0 99999; shift ;;
      *) misuse "logs: unknown option $1; see: holdfast help" ;;
    esac
    shift
  done
  [ -e "$data/log/holdfast.log" ] || fail "no log in $data/log; has the node ever started?"
  exec tail -n "$lines" "${follow[@]}" "$data/log/holdfast.log"
}

node_kubeconfig() {
  local data rest
  take_data "$@"
  [ ${#rest[@]} = 0 ] || misuse "kubeconfig: unknown argument ${rest[0]}"
  [ -e "$data/kubeconfig" ] || fail "no kubeconfig in $data yet; start the node with: holdfast up --data $data"
  say "$data/kubeconfig"
}

# The Karaf shell over SSH on loopback.
node_shell() {
  local data rest dist
  take_data "$@"
  running_pid > /dev/null || fail "the node does not run (data in $data); start it with: holdfast up"
  load_settings
  require_java jre
  dist=$(distribution)
  export KARAF_BASE=$data/karaf KARAF_ETC=$data/karaf/etc KARAF_DATA=$data/karaf/data
  export EXTRA_JAVA_OPTS="-XX:TieredStopAtLevel=1 -Dholdfast.ssh.port=${setting[ssh_port]}"
  if [ ${#rest[@]} = 0 ]; then
    exec "$dist/bin/client"
  fi
  # The client wants its standard input open as long as the command runs.
  exec 8<> <(:)
  exec timeout "${HOLDFAST_SHELL_TIMEOUT:-60}" "$dist/bin/client" -- "${rest[*]}" <&8
}
