# shellcheck shell=bash
# Starts a node: settings, ports, the process, the first volume.

node_up() {
  local data foreground='' dist node='' repair='' empty_store='' join='' token=${HOLDFAST_JOIN_TOKEN:-}
  local usual_umask
  local -A wanted=()
  parse_up "$@"
  require_container
  # The node inherits this mask, so that only the owner can read its files.
  usual_umask=$(umask)
  umask 077
  data=$(prepare_data "$data")
  if [ -n "$node" ] && [ "$node" != 1 ]; then
    require_nth "$node"
    data=$data/nodes/node-$node
  fi
  [ ! -e "$data/restore.ready" ] ||
    fail "the restore of $data was interrupted; complete it: holdfast cluster restore FILE --data $(printf %q "$data")"
  load_settings
  [ "${wanted[nodes]:-1}" = 1 ] || prepare_several
  [ -z "$join" ] || prepare_join
  [ -z "${wanted[store]:-}" ] || name_in_shared_store
  dist=$(distribution)
  exec 9> "$data/up.lock"
  flock -n 9 || fail "another \"holdfast up\" works on $data at this moment"
  if already_running; then
    [ -n "$node" ] || start_others
    return 0
  fi
  apply_wanted
  require_store
  prepare_machine
  join_cluster
  start_node
  [ -n "$node" ] || start_others
  if wants_demo; then
    create_demo
  fi
  keep_classes
  next_steps
}

# Installs and builds everything that a node needs to start.
prepare_machine() {
  umask "$usual_umask"
  require up_requirements
  ensure_built
  require_java jre
  # Offer the clients only once: a user who removed one, or has no network, is not asked at every
  # start.
  if wants_demo && [ ! -e "$data/demo.created" ]; then
    offer client_requirements
  fi
  umask 077
}

start_node() {
  check_ports
  require_room
  close_contents
  save_settings
  prepare_instance "$dist"
  rm -f "$data/store/trouble"
  node_command "$dist"
  if [ -n "$foreground" ]; then
    run_foreground
  fi
  run_background
}

# Lists all packages at once, so that a user without rights asks an administrator only once.
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
      --no-demo) wanted[demo]=no ;;
      --demo) wanted[demo]=yes ;;
      --repair-settings) repair=yes ;;
      --empty-store) empty_store=allow ;;
      --join) join=$(value "$@") || exit; shift ;;
      --token) token=$(value "$@") || exit; shift ;;
      --nodes)
        wanted[nodes]=$(value "$@") || exit
        check_number "$1" "$2" 1 16
        shift ;;
      --node)
        node=$(value "$@") || exit
        check_number "$1" "$2" 1 16
        shift ;;
      --address | --advertised-address | --name)
        wanted[$(option_key "$1")]=$(value "$@") || exit
        shift ;;
      --open-frontends)
        wanted[frontend_authentication]=$(authentication "$@") || exit
        shift ;;
      --api-port | --rpc-port | --nbd-port | --iscsi-port | --nvmeof-port | --replica-port | \
        --ssh-port)
        wanted[$(option_key "$1")]=$(value "$@") || exit
        check_number "$1" "$2" 1 65535
        shift ;;
      --log-format)
        wanted[log_format]=$(value "$@") || exit
        check_log_format "$2"
        shift ;;
      --csi | --csi-registration)
        wanted[$(option_key "$1")]=$(absolute "$@") || exit
        shift ;;
      --store)
        wanted[store]=$(value "$@") || exit
        check_store "$2"
        shift ;;
      --namespace | --endpoints | --etcd-user)
        wanted[$(option_key "$1")]=$(value "$@") || exit
        shift ;;
      --kubeconfig | --etcd-ca | --etcd-cert | --etcd-key | --etcd-password-file)
        wanted[$(option_key "$1")]=$(absolute "$@") || exit
        shift ;;
      --csi-max-volumes)
        wanted[csi_max_volumes]=$(value "$@") || exit
        check_number "$1" "$2" 0 65535
        shift ;;
      --disks)
        wanted[disks]=$(value "$@") || exit
        check_number "$1" "$2" 0 64
        shift ;;
      *) misuse "up: unknown option $1; see: holdfast help" ;;
    esac
    shift
  done
  if [ -n "$foreground" ] && [ "${wanted[nodes]:-1}" != 1 ]; then
    misuse "up: --foreground is for one node; start the others with up --node N"
  fi
  if [ -n "$repair" ] && [ "${node:-1}" != 1 ]; then
    misuse "up: --repair-settings is for all nodes of this machine; leave --node $node out"
  fi
  if [ -n "$join" ] && [ "${wanted[nodes]:-1}" != 1 ]; then
    misuse "up: --join is for one node; --nodes makes a cluster of its own"
  fi
}

# Prints the node's value for --open-frontends, which names the NBD, iSCSI and NVMe clients that
# need no credential.
authentication() { # OPTION [VALUE...]
  local open
  open=$(value "$@") || exit
  case $open in
    none) echo required ;;
    loopback) echo open-loopback ;;
    network) echo open ;;
    *) misuse "up: --open-frontends \"$open\": expected none, loopback or network" ;;
  esac
}

check_log_format() { # FORMAT
  case $1 in
    text | json) ;;
    *) misuse "up: --log-format \"$1\": expected text or json" ;;
  esac
}

check_store() { # KIND
  case $1 in
    embedded | kubernetes | etcd) ;;
    *) misuse "up: unknown store \"$1\"; there are embedded, kubernetes and etcd" ;;
  esac
}

# Checks the files of a shared store before the node starts. Rejects a data directory with an
# embedded store, because the shared store does not have its volumes.
require_store() {
  local key
  case $(store_kind) in
    kubernetes)
      [ -z "${setting[kubeconfig]}" ] || [ -r "${setting[kubeconfig]}" ] ||
        fail "there is no readable kubeconfig ${setting[kubeconfig]}"
      ;;
    etcd)
      [ -n "${setting[endpoints]}" ] ||
        misuse "up: --store etcd needs --endpoints, for example https://127.0.0.1:2379"
      for key in etcd_ca etcd_cert etcd_key etcd_password_file; do
        [ -z "${setting[$key]}" ] || [ -r "${setting[$key]}" ] ||
          fail "there is no readable file ${setting[$key]} (--${key//_/-})"
      done
      ;;
    *) return 0 ;;
  esac
  [ ! -e "$data/store/holdfast.db" ] ||
    fail "$data has a store of its own with its volumes; choose another directory with --data DIR"
}

# Prints the absolute path that follows an option. An empty value unsets the option.
absolute() { # OPTION [VALUE...]
  local path
  path=$(value "$@") || exit
  case $path in
    '' | /*) printf '%s\n' "$path" ;;
    *) printf '%s\n' "$PWD/$path" ;;
  esac
}

option_name() { # KEY
  case $1 in
    frontend_authentication) echo --open-frontends ;;
    *) printf '%s\n' "--${1//_/-}" ;;
  esac
}

option_key() { local key=${1#--}; printf '%s\n' "${key//-/_}"; }

apply_wanted() {
  local key
  # Require credentials on a new node. A node of an earlier version stays open until an
  # administrator closes it.
  [ -e "$data/holdfast.env" ] || setting[frontend_authentication]=required
  for key in "${!wanted[@]}"; do
    setting["$key"]=${wanted["$key"]}
  done
}

prepare_data() { # DIR: prints its absolute name
  mkdir -p "$1" 2> /dev/null ||
    fail "cannot make the data directory $1; run as root or choose another with --data DIR"
  [ -w "$1" ] || fail "cannot write to the data directory $1; choose another with --data DIR"
  close_directory "$1"
  (cd "$1" && pwd -P)
}

# Reports a node that already runs. Fails when the node does not run.
already_running() {
  local key differs='' pid
  pid=$(running_pid) || return 1
  for key in "${!wanted[@]}"; do
    case $key in nodes | demo) continue ;; esac # these take effect without a restart
    [ "${wanted["$key"]}" = "${setting["$key"]}" ] || differs+=" $(option_name "$key")"
  done
  if [ "${wanted[nodes]:-0}" -gt "${setting[nodes]}" ]; then
    setting[nodes]=${wanted[nodes]}
  fi
  setting[demo]=${wanted[demo]:-${setting[demo]}}
  save_settings
  say "Holdfast runs already (node ${setting[name]}, pid $pid, data in $data)."
  if [ -n "$differs" ]; then
    say "It runs with other values of$differs; to change them: holdfast down, then up again."
  fi
}

check_ports() {
  local key address
  for key in $port_keys; do
    address=${setting[address]}
    [ "$key" != ssh_port ] || address=$(ssh_address)
    if port_taken "$address" "${setting[$key]}"; then
      fail "port ${setting[$key]} of $address is taken by another program; choose another with --${key//_/-} N"
    fi
  done
}

# True when a program listens on the port at this address or at all addresses. For a host name or an
# IPv6 address, every listener on the port counts. The function reads /proc, which needs no extra
# program.
port_taken() { # ADDRESS PORT
  local port host='' a b c d
  port=$(printf '%04X' "$2")
  if [[ $1 =~ ^[0-9]+(\.[0-9]+){3}$ ]] && [ "$1" != 0.0.0.0 ]; then
    IFS=. read -r a b c d <<< "$1"
    host=$(printf '%02X%02X%02X%02X' "$d" "$c" "$b" "$a")
  fi
  awk -v port="$port" -v host="$host" '$4 == "0A" {
      split($2, at, ":")
      if (at[2] == port && (host == "" || at[1] ~ /^0+$/ || at[1] ~ host "$")) found = 1
    }
    END { exit !found }' /proc/net/tcp /proc/net/tcp6 2> /dev/null
}

readonly start_bytes=$((1 << 20)) reserved_starts=4

# Checks that 1 MiB is free, which is more than a start writes. Without that space, the node could
# neither serve nor log the reason. A killed node frees no space, so space for four starts is
# reserved while the file system has room.
require_room() {
  local reserve=$data/start.reserve
  if has_room; then
    keep_reserve "$reserve"
  elif use_reserve "$reserve" && has_room; then
    say "The file system of $data is full: this start uses room that was reserved for it."
  else
    fail "no space is left on the file system of $data: free at least 1 MiB and start the node again"
  fi
}

has_room() {
  local probe=$data/room enough=yes
  head -c "$start_bytes" /dev/zero 2> /dev/null > "$probe" || enough=
  rm -f "$probe"
  [ -n "$enough" ]
}

keep_reserve() { # FILE
  local bytes=$((reserved_starts * start_bytes))
  [ "$(reserved_bytes "$1")" -lt "$bytes" ] || return 0
  # A partial reserve would fill the file system.
  head -c "$bytes" /dev/zero 2> /dev/null > "$1" || rm -f "$1"
}

use_reserve() { # FILE
  local kept
  kept=$(reserved_bytes "$1")
  [ "$kept" -ge "$start_bytes" ] && truncate -s $((kept - start_bytes)) "$1"
}

reserved_bytes() { # FILE
  stat -c %s "$1" 2> /dev/null || echo 0
}

run_foreground() {
  if wants_demo; then
    (exec 9>&-; await_ready "$$" > /dev/null && create_demo) &
  fi
  echo "$$" > "$data/holdfast.pid"
  exec 9>&-
  cd /
  exec "${java_command[@]}"
}

run_background() {
  local pid
  # The node gets its own session, so that closing the terminal or interrupting this command does
  # not stop it.
  (cd / && exec 9>&- && exec setsid "${java_command[@]}" >> "$data/log/console.log" 2>&1 < /dev/null) &
  pid=$!
  if ! echo "$pid" > "$data/holdfast.pid"; then
    kill "$pid"
    fail "cannot write $data/holdfast.pid: free space on its file system and start the node again"
  fi
  printf 'Starting node %s ' "${setting[name]}"
  await_ready "$pid" || start_failed
  if is_ready; then
    say " ready (pid $pid)"
  else
    say " runs (pid $pid) and waits for $(store_place)"
  fi
}

# Waits until the node with PID reports that it is ready. A node with its store elsewhere has
# started when its own API answers: it serves as soon as that store does. On a busy machine, a node
# that still uses CPU time gets up to five times the limit.
await_ready() { # PID
  local limit=${HOLDFAST_START_TIMEOUT:-120} ticks=0 patience=25 used=0
  local window=$(((limit + 11) / 12)) began=$SECONDS checked=$SECONDS deadline=$((SECONDS + limit))
  until is_ready; do
    kill -0 "$1" 2> /dev/null || return 1
    [ -z "$(store_trouble)" ] || return 1
    if has_store_elsewhere && answers livez; then
      patience=$((patience - 1))
      [ "$patience" -gt 0 ] || return 0
    fi
    if [ "$SECONDS" -ge "$deadline" ]; then
      [ "$SECONDS" -lt $((began + 5 * limit)) ] && has_worked "$1" "$used" "$window" || return 1
      [ "$deadline" -gt $((began + limit)) ] ||
        printf ' not ready after %s s, still starting on a busy machine ' "$limit"
      deadline=$((SECONDS + window)) checked=$SECONDS used=$(used_ticks "$1")
    elif [ "$SECONDS" -ge $((checked + window)) ]; then
      checked=$SECONDS used=$(used_ticks "$1")
    fi
    if [ $((ticks % 5)) = 0 ]; then
      printf .
    fi
    ticks=$((ticks + 1))
    sleep 0.2
  done
}

# Prints the CPU time of a process in hundredths of a second.
used_ticks() { # PID
  local stat fields
  stat=$(cat "/proc/$1/stat" 2> /dev/null) || stat=
  read -r -a fields <<< "${stat##*) }"
  echo $((${fields[11]:-0} + ${fields[12]:-0}))
}

# True when a process used at least a fiftieth of one CPU for SECONDS, since its CPU time was TICKS.
# A node that only waits uses less.
has_worked() { # PID TICKS SECONDS
  [ $(($(used_ticks "$1") - $2)) -ge $((2 * $3)) ]
}

is_ready() { answers readyz; }

answers() { ask "$1" -f; } # CHECK

# Sends a request to the API of this node.
ask() { # PATH CURL-OPTION...
  local address=${setting[address]}
  case $address in
    0.0.0.0) address=127.0.0.1 ;;
    *:*) address="[$address]" ;;
  esac
  [ -e "$data/tls/ca.crt" ] &&
    curl -s -o /dev/null --max-time 2 --noproxy '*' --cacert "$data/tls/ca.crt" "${@:2}" \
      "https://$address:${setting[api_port]}/$1"
}

start_failed() {
  local trouble pid
  say " failed"
  trouble=$(store_trouble)
  if [ -n "$trouble" ]; then
    # A node tries to open its store only once, so it would wait without end.
    ! pid=$(running_pid) || stop_node "$pid" 60 > /dev/null
    store_ways_out "$trouble" >&2
    fail "the node was stopped, because it cannot open its store"
  fi
  {
    [ ! -s "$data/log/console.log" ] || tail -n 20 "$data/log/console.log"
    [ ! -s "$data/log/holdfast.log" ] || grep -E ' (ERROR|WARN) |"level":"(ERROR|WARN)"' "$data/log/holdfast.log" | tail -n 20
  } >&2
  if running_pid > /dev/null; then
    fail "the node is not ready in time; it still runs. See: holdfast logs --data $data; holdfast down --data $data"
  fi
  fail "the node stopped while starting; see $data/log"
}

wants_demo() { [ "${setting[demo]}" = yes ] && ! has_joined; }

# Creates the volume demo once per data directory, so that a deleted demo stays deleted.
create_demo() {
  local trouble
  [ ! -e "$data/demo.created" ] || return 0
  say "Creating the volume demo (1 GiB, three replicas)"
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
  local here option='' uri='' first='volume create demo --size 1Gi'
  here=$(printf %q "$HOLDFAST_HOME/holdfast")
  [ "$data" = "$(default_data)" ] || option=" --data $(printf %q "$data")"
  lacks_demo || uri=$(run_cli volume endpoint demo --data "$data" 2> /dev/null) || uri=
  say ''
  if [ -n "$uri" ]; then
    first='mount demo /mnt'
    cat <<TRY
The volume demo is at $uri
  nbdinfo '$uri'
  nbdcopy image.raw '$uri'
  qemu-img info '$uri'
TRY
  fi
  cat <<TRY
Next:
  $here volume list$option
  $here $first$option
  export KUBECONFIG=$(printf %q "$data/kubeconfig"); kubectl get volumes
  $here page$option
  $here status$option
  $here down$option
TRY
}

# True when the node's own API answers that the volume demo does not exist. This avoids the start of
# a Java command. A node with its store elsewhere is not asked.
lacks_demo() {
  local token code
  ! has_store_elsewhere || return 1
  token=$(sed -n 's/.*"token" : "\([^"]*\)".*/\1/p' "$data/kubeconfig") &&
    code=$(ask apis/holdfast.dev/v1/volumes/demo -w '%{http_code}' -H @- \
      <<< "Authorization: Bearer $token") && [ "$code" = 404 ]
}
