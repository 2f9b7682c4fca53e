# shellcheck shell=bash
# Commands for a running node: down, status, logs, kubeconfig, shell.

# --- down ----------------------------------------------------------------------------

node_down() {
  local data patience=60 node='' processes=''
  data=$(default_data)
  while [ $# -gt 0 ]; do
    case $1 in
      --processes) processes=yes ;;
      --*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}"; continue ;;
      --data) data=$(value "$@") || exit; shift ;;
      --timeout) patience=$(value "$@") || exit; check_number "$1" "$2" 1 3600; shift ;;
      --node) node=$(value "$@") || exit; check_number "$1" "$2" 1 16; shift ;;
      *) misuse "down: unknown option $1; see: holdfast help" ;;
    esac
    shift
  done
  data=$(readlink -m "$data")
  if [ -n "$node" ]; then
    if [ "$node" != 1 ]; then
      require_nth "$node"
      data=$data/nodes/node-$node
    fi
    stop_one
  else
    stop_all
  fi
}

# Stops the node with the store last, because the other nodes record in it that their volumes are
# closed.
stop_all() {
  local directory directories pids=() failed=0 pid
  mapfile -t directories < <(node_directories)
  for directory in "${directories[@]:1}"; do
    (data=$directory; if running_pid > /dev/null; then stop_one; else settle_processes; fi) &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do
    wait "$pid" || failed=$?
  done
  stop_one
  return "$failed"
}

stop_one() {
  local pid
  if ! pid=$(running_pid); then
    say "Holdfast does not run (data in $data)."
  else
    name_node
    stop_node "$pid" "$patience"
  fi
  settle_processes
}

# Prints PID, name and program of each process that plugins of this node left running. The boot ID
# and the start time exclude another process that reuses a PID.
left_processes() {
  local file record pid ticks boot stat fields program
  boot=$(< /proc/sys/kernel/random/boot_id)
  while IFS= read -r file; do
    record=$(cat "$file" 2> /dev/null) || continue
    [[ $record == *"$boot"* && $record =~ \"pid\"\ *:\ *([0-9]+) ]] || continue
    pid=${BASH_REMATCH[1]}
    [[ $record =~ \"startTicks\"\ *:\ *([0-9]+) ]] || continue
    ticks=${BASH_REMATCH[1]}
    stat=$(cat "/proc/$pid/stat" 2> /dev/null) || continue
    # The program name in parentheses may contain spaces. Field 22 of the line, the start time, is
    # the 20th field after it.
    read -ra fields <<< "${stat##*) }"
    [ "${fields[19]:-}" = "$ticks" ] && [ "${fields[0]}" != Z ] || continue
    program=$(cat "/proc/$pid/comm" 2> /dev/null) || continue
    printf '%s %s %s\n' "$pid" "$(basename "$file" .json)" "$program"
  done < <(find "$data" -mindepth 2 -maxdepth 3 -name '*.json' -path "$data/*" \
    -not -path "$data/nodes/*" 2> /dev/null)
}

# Lists or ends the processes of plugins. They outlive the node, so that hosts keep their volumes.
settle_processes() {
  local pid name program
  while read -r pid name program; do
    if [ -n "${processes:-}" ]; then
      end_process "$pid" "$name" || fail "process $pid ($program, $name) does not end: look at it by: ps -p $pid"
      say "Ended $program (pid $pid, $name)."
    else
      say "$program (pid $pid, $name) still runs, so that hosts keep their volumes; to end it: holdfast down --processes --data $data"
    fi
  done < <(left_processes)
}

end_process() { # PID NAME
  local deadline=$((SECONDS + patience)) killed=''
  kill -TERM "$1" 2> /dev/null || true
  while [[ $'\n'$(left_processes) == *$'\n'"$1 $2 "* ]]; do
    if [ "$SECONDS" -ge "$deadline" ]; then
      [ -z "$killed" ] || return 1
      kill -KILL "$1" 2> /dev/null || true
      killed=yes deadline=$((SECONDS + 10))
    fi
    sleep 0.1
  done
}

# Reads the name of the node. Lost settings are only reported, so that the node can still be
# stopped.
name_node() {
  local trouble
  trouble=$(settings_trouble)
  read_settings
  if [ -n "$trouble" ]; then
    say "holdfast: $trouble; the next start says what to do" >&2
    setting[name]="of $data"
  fi
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
  say "Holdfast stopped (node ${setting[name]})."
}

# --- status, logs, kubeconfig, shell ---------------------------------------------------

# Prints the PID of the running node of this data directory. The command line of the process must
# name the directory, because another process can reuse the PID.
running_pid() {
  local pid
  [ -r "$data/holdfast.pid" ] && read -r pid < "$data/holdfast.pid" && [[ $pid =~ ^[0-9]+$ ]] || return 1
  # Let grep read the file directly: the writer of a pipe fails when grep exits at the first match.
  grep -qzxF -- "-Dholdfast.data=$data" "/proc/$pid/cmdline" 2> /dev/null || return 1
  printf '%s\n' "$pid"
}

# Sets data to the value of --data DIR, and rest to the other arguments.
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
  each_node true # ends the command when settings are lost
  deny_unreadable "$data/holdfast.pid"
  pid=$(running_pid) || pid=
  "status_$output" "$pid" && [ -n "$pid" ]
}

# Runs a function for every node of this machine, with its data directory and settings.
each_node() { # FUNCTION
  local directory failed=0
  while IFS= read -r directory; do
    (data=$directory; load_settings; "$1") || failed=1
  done < <(node_directories)
  return "$failed"
}

json_string() { local text=${1//\\/\\\\}; printf '"%s"' "${text//\"/\\\"}"; }

status_json() { # PID
  local nodes='' failed=0
  if [ -z "$1" ]; then
    [ ! -d "$data/nodes" ] || nodes=$(each_node node_json) || failed=1
    printf '{"pid":null,"data":%s,"nodes":[%s]}\n' "$(json_string "$data")" "$(paste -sd, <<< "$nodes")"
    return "$failed"
  fi
  nodes=$(each_node node_json) || failed=1
  printf '{"pid":%d,"ready":%s,"data":%s,"nodes":[%s]}\n' \
    "$1" "$(load_settings; is_ready && echo true || echo false)" "$(json_string "$data")" \
    "$(paste -sd, <<< "$nodes")"
  return "$failed"
}

node_json() {
  local pid ready=false failed=0 state
  if pid=$(running_pid); then
    state=$(node_state) || exit
    case $state in
      ready) ready=true ;;
      silent | refused) failed=1 ;;
    esac
  else
    pid=null
  fi
  printf '{"name":%s,"pid":%s,"ready":%s,"addresses":[%s],"ports":{"api":%d,"rpc":%d,"nbd":%d,"iscsi":%d,"nvmeof":%d,"replica":%d,"ssh":%d},"data":%s}\n' \
    "$(json_string "${setting[name]}")" "$pid" "$ready" \
    "$(json_string "${setting[advertised_address]:-${setting[address]}}")" \
    "${setting[api_port]}" "${setting[rpc_port]}" "${setting[nbd_port]}" "${setting[iscsi_port]}" \
    "${setting[nvmeof_port]}" "${setting[replica_port]}" "${setting[ssh_port]}" "$(json_string "$data")"
  return "$failed"
}

# Prints the state of a running node according to its API.
node_state() {
  local code=0
  deny_unreadable "$data/tls/ca.crt"
  is_ready || code=$?
  if [ "$code" = 0 ]; then
    echo ready
  elif [ -n "$(store_trouble)" ]; then
    echo refused
  elif [ "$code" = 28 ]; then
    echo silent # code of a time-out in curl
  elif has_store_elsewhere && answers livez; then
    echo waiting
  else
    echo starting
  fi
}

status_table() { # PID
  if [ -z "$1" ] && [ ! -d "$data/nodes" ]; then
    say "Holdfast does not run (data in $data). Start it with: holdfast up"
    return
  fi
  local failed=0
  each_node node_table || failed=1
  say "  kubeconfig  $data/kubeconfig"
  return "$failed"
}

node_table() {
  local pid failed=0 state
  if pid=$(running_pid); then
    state=$(node_state) || exit
    case $state in
      ready) say "Holdfast runs (pid $pid)" ;;
      refused) failed=1; say "Holdfast runs (pid $pid) without its store: $(store_trouble)" ;;
      silent) failed=1; say "Holdfast runs (pid $pid) and does not answer (overloaded?)" ;;
      waiting) say "Holdfast runs (pid $pid) and waits for $(store_place)" ;;
      *) say "Holdfast is starting or not ready (pid $pid)" ;;
    esac
  else
    say "Node ${setting[name]} does not run"
  fi
  say "  node        ${setting[name]}"
  say "  address     ${setting[address]}"
  say "  ports       api ${setting[api_port]}, nbd ${setting[nbd_port]}, iscsi ${setting[iscsi_port]}," \
    "nvmeof ${setting[nvmeof_port]}, ssh ${setting[ssh_port]}, between nodes ${setting[rpc_port]} and ${setting[replica_port]}"
  say "  data        $data"
  say "  log         $data/log/holdfast.log"
  return "$failed"
}

node_logs() {
  local data rest follow=() lines=200 node=1
  take_data "$@"
  set -- "${rest[@]}"
  while [ $# -gt 0 ]; do
    case $1 in
      -f | --follow) follow=(-F) ;;
      --node) node=$(value "$@") || exit; check_number "$1" "$2" 1 16; shift ;;
      -n | --lines) lines=$(value "$@") || exit; check_number "$1" "$2" 0 99999; shift ;;
      *) misuse "logs: unknown option $1; see: holdfast help" ;;
    esac
    shift
  done
  if [ "$node" != 1 ]; then
    require_nth "$node"
    data=$data/nodes/node-$node
  fi
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

# Opens the Karaf shell over SSH on loopback, or runs one command in it.
node_shell() {
  local data rest dist earlier
  take_data "$@"
  running_pid > /dev/null || fail "the node does not run (data in $data); start it with: holdfast up"
  load_settings
  require_java jre
  dist=$(distribution)
  export KARAF_BASE=$data/karaf KARAF_ETC=$data/karaf/etc KARAF_DATA=$data/karaf/data
  export EXTRA_JAVA_OPTS="-XX:TieredStopAtLevel=1 -Dholdfast.ssh.address=$(ssh_address) -Dholdfast.ssh.port=${setting[ssh_port]}"
  if [ ${#rest[@]} = 0 ]; then
    exec "$dist/bin/client"
  fi
  # The client needs an open standard input while the command runs.
  exec 8<> <(:)
  if [[ ${rest[*]} != *bundle:update* ]]; then
    exec timeout "${HOLDFAST_SHELL_TIMEOUT:-60}" "$dist/bin/client" -- "${rest[*]}" <&8
  fi
  earlier=$(bundle_trials)
  timeout "${HOLDFAST_SHELL_TIMEOUT:-60}" "$dist/bin/client" -- "${rest[*]}" <&8 || exit
  await_trial "$earlier"
}

# --- bundle:update returns before the node has tried the new version -------------------

# Prints the trials of bundle versions that the node recorded: ID, state, command and reason,
# separated by tabs.
bundle_trials() {
  [ ! -r "$data/upgrade/journal.json" ] || awk '
    function text(line) { sub(/^ *"[a-z]+" : "/, "", line); sub(/",?$/, "", line); return line }
    /^    "id" : / { id = text($0) }
    /^    "source" : / { source = text($0) }
    /^    "state" : / { state = text($0) }
    /^    "reason" : / && source ~ /^bundle:update / {
      print id "\t" state "\t" source "\t" text($0)
    }' "$data/upgrade/journal.json"
}

# Fails when the trial failed or the node restored the previous version. The wait has a limit,
# because third-party bundles have no trial.
await_trial() { # EARLIER-TRIALS
  local deadline=$((SECONDS + ${HOLDFAST_TRIAL_SECONDS:-20})) id state command reason
  while [ "$SECONDS" -lt "$deadline" ]; do
    while IFS=$'\t' read -r id state command reason; do
      [[ $'\n'$1 != *$'\n'"$id"$'\t'* ]] || continue
      case $state in
        WENT_BACK) fail "$command: the new version does not work, the former one runs again: $reason" ;;
        FAILED) fail "$command: the new version does not work: $reason" ;;
        *) return 0 ;;
      esac
    done < <(bundle_trials)
    sleep 0.2
  done
}
