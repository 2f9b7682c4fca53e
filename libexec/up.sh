# shellcheck shell=bash
# Starting a node: settings, ports, the process, the first volume.

node_up() {
  local data foreground='' demo=yes dist
  local -A wanted=()
  parse_up "$@"
  data=$(prepare_data "$data")
  local pid
  if pid=$(running_pid); then
    load_settings
    already_running "$pid"
    return 0
  fi
  load_settings
  apply_wanted
  require up_requirements
  ensure_built
  require_java jre
  # Once: who removed a client, or has no network, is not asked at every start.
  if [ -n "$demo" ] && [ ! -e "$data/demo.created" ]; then
    offer client_requirements
  fi
  dist=$(distribution)
  exec 9> "$data/up.lock"
  flock -n 9 || fail "another \"holdfast up\" works on $data at this moment"
  check_ports
  save_settings
  prepare_instance "$dist"
  node_command "$dist"
  if [ -n "$foreground" ]; then
    run_foreground
  else
    run_background
  fi
}

# All at once, so that who must ask an administrator asks one time.
up_requirements() {
  run_requirements
  if needs_build; then
    build_requirements
  else
    java_requirements
  fi
}

parse_up() {
  data=$(default_data)
  while [ $# -gt 0 ]; do
    case $1 in
      --*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}"; continue ;;
      --data) data=$(value "$@") || exit; shift ;;
      --foreground) foreground=yes ;;
      --no-demo) demo= ;;
      --address | --advertised-address | --name)
        wanted[$(option_key "$1")]=$(value "$@") || exit
        shift ;;
      --api-port | --nbd-port | --ssh-port)
        wanted[$(option_key "$1")]=$(value "$@") || exit
        check_number "$1" "$2" 1 65535
        shift ;;
      --disks)
        wanted[disks]=$(value "$@") || exit
        check_number "$1" "$2" 0 64
        shift ;;
      *) misuse "up: unknown option $1; see: holdfast help" ;;
    esac
    shift
  done
}

option_key() { local key=${1#--}; printf '%s\n' "${key//-/_}"; }

apply_wanted() {
  local key
  for key in "${!wanted[@]}"; do
    setting["$key"]=${wanted["$key"]}
  done
}

prepare_data() { # DIR: prints its absolute name
  mkdir -p "$1" 2> /dev/null ||
    fail "cannot make the data directory $1; run as root or choose another with --data DIR"
  [ -w "$1" ] || fail "cannot write to the data directory $1; choose another with --data DIR"
  (cd "$1" && pwd -P)
}

already_running() { # PID
  local key differs=
  for key in "${!wanted[@]}"; do
    [ "${wanted["$key"]}" = "${setting["$key"]}" ] || differs+=" --${key//_/-}"
  done
  say "Holdfast runs already (pid $1, data in $data)."
  if [ -n "$differs" ]; then
    say "It runs with other values of$differs; to change them: holdfast down, then up again."
  fi
}

check_ports() {
  local key
  for key in api_port nbd_port ssh_port; do
    if port_taken "${setting[$key]}"; then
      fail "port ${setting[$key]} is taken by another program; choose another with --${key//_/-} N"
    fi
  done
}

# Whether anything listens there, on any address. /proc needs no extra program.
port_taken() { # PORT
  local hex
  hex=$(printf ':%04X' "$1")
  awk -v port="$hex" '$4 == "0A" && substr($2, length($2) - 4) == port { found = 1 }
    END { exit !found }' /proc/net/tcp /proc/net/tcp6 2> /dev/null
}

run_foreground() {
  if [ -n "$demo" ]; then
    (exec 9>&-; await_ready "$$" > /dev/null && create_demo) &
  fi
  echo "$$" > "$data/holdfast.pid"
  exec 9>&-
  cd /
  exec "${java_command[@]}"
}

run_background() {
  local pid
  # Its own session: closing the terminal or interrupting this command does not reach it.
  (cd / && exec 9>&- && exec setsid "${java_command[@]}" >> "$data/log/console.log" 2>&1 < /dev/null) &
  pid=$!
  echo "$pid" > "$data/holdfast.pid"
  printf 'Starting node %s ' "${setting[name]}"
  await_ready "$pid" || start_failed
  say " ready (pid $pid)"
  if [ -n "$demo" ]; then
    create_demo
  fi
  next_steps
}

# Waits until the node with PID answers that it is ready.
await_ready() { # PID
  local deadline=$((SECONDS + ${HOLDFAST_START_TIMEOUT:-120})) ticks=0
  until is_ready; do
    kill -0 "$1" 2> /dev/null || return 1
    [ "$SECONDS" -lt "$deadline" ] || return 1
    if [ $((ticks % 5)) = 0 ]; then
      printf .
    fi
    ticks=$((ticks + 1))
    sleep 0.2
  done
}

is_ready() {
  local address=${setting[address]}
  case $address in
    0.0.0.0) address=127.0.0.1 ;;
    *:*) address="[$address]" ;;
  esac
  [ -e "$data/tls/ca.crt" ] &&
    curl -sf -o /dev/null --max-time 2 --noproxy '*' --cacert "$data/tls/ca.crt" \
      "https://$address:${setting[api_port]}/readyz"
}

start_failed() {
  say " failed"
  {
    [ ! -s "$data/log/console.log" ] || tail -n 20 "$data/log/console.log"
    [ ! -s "$data/log/holdfast.log" ] || grep -E ' (ERROR|WARN) ' "$data/log/holdfast.log" | tail -n 20
  } >&2
  if running_pid > /dev/null; then
    fail "the node is not ready in time; it still runs. See: holdfast logs --data $data; holdfast down --data $data"
  fi
  fail "the node stopped while starting; see $data/log"
}

# Once in the life of a data directory, so that a deleted demo stays deleted.
create_demo() {
  local trouble
  [ ! -e "$data/demo.created" ] || return 0
  say "Creating the volume demo (1 GiB, three replicas on three disks)"
  if trouble=$({
    run_cli volume create demo --size 1Gi --replicas 3 --data "$data" &&
      run_cli volume attach demo --data "$data"
  } 2>&1 > /dev/null); then
    touch "$data/demo.created"
  else
    say "The volume demo is not served; the node runs. $(tail -n 1 <<< "$trouble")"
    say "See: holdfast volume get demo; holdfast disk list; holdfast logs --data $data"
  fi
}

next_steps() {
  local here option='' uri=''
  here=$(printf %q "$HOLDFAST_HOME/holdfast")
  [ "$data" = "$(default_data)" ] || option=" --data $(printf %q "$data")"
  uri=$(run_cli volume endpoint demo --data "$data" 2> /dev/null) || uri=
  say ''
  if [ -n "$uri" ]; then
    cat <<TRY
The volume demo is at $uri
  nbdinfo $uri
  nbdcopy image.raw $uri
  qemu-img info $uri
TRY
  fi
  cat <<TRY
Next:
  $here volume list$option
  $here mount demo /mnt$option
  export KUBECONFIG=$(printf %q "$data/kubeconfig"); kubectl get volumes
  $here status$option
  $here down$option
TRY
}
