# shellcheck shell=bash
# Starts several nodes of one cluster, on this machine or on several machines. On this machine, each
# node has a loopback address and its own directory DATA/nodes/node-N. All nodes join in the same
# way.

# --- on this machine -------------------------------------------------------------------

# With several nodes, the replicas of a volume are on different nodes. One disk per node is enough.
prepare_several() {
  nth_address "${wanted[address]:-${setting[address]}}" "${wanted[nodes]}" > /dev/null
  if [ ! -e "$data/holdfast.env" ]; then
    wanted[disks]=${wanted[disks]:-1}
  fi
}

# Prints the address of the Nth node when the first one has ADDRESS.
nth_address() { # ADDRESS N
  local last=${1##*.}
  [[ $1 =~ ^127(\.[0-9]+){3}$ ]] ||
    misuse "up: several nodes on one machine need a loopback address (127.x.y.z), not $1; on other machines use up --join"
  last=$((last + $2 - 1))
  [ "$last" -le 254 ] || misuse "up: there are not $2 addresses from $1 on"
  printf '%s.%s\n' "${1%.*}" "$last"
}

require_nth() { # N
  [ -e "$data/nodes/node-$1/holdfast.env" ] || [ -e "$data/nodes/node-$1/node.id" ] ||
    fail "there is no node $1 in $data/nodes; make it with: holdfast up --nodes $1"
}

# Starts the second and later nodes, all at the same time.
start_others() {
  local n first=$data results pids=() failed=
  [ "${setting[nodes]}" -gt 1 ] || return 0
  require_java jre
  results=$(mktemp -d)
  for ((n = 2; n <= setting[nodes]; n++)); do
    (start_nth "$n") > "$results/$n" 2>&1 &
    pids+=($!)
  done
  for ((n = 2; n <= setting[nodes]; n++)); do
    wait "${pids[n - 2]}" || failed=yes
    cat "$results/$n"
  done
  rm -rf "$results"
  data=$first
  [ -z "$failed" ] || fail "not all nodes started; the others run. Try again with: holdfast up"
  await_members
}

# Waits until each node has reported to the store that it is ready. Volumes are placed only on ready
# nodes.
await_members() {
  local names
  is_ready || return 0
  mapfile -t names < <(each_node own_name) # only running nodes
  run_cli node wait "${names[@]}" --timeout "${HOLDFAST_START_TIMEOUT:-120}" --data "$data" \
    > /dev/null || fail "not all nodes are ready; see: holdfast node list"
}

# True when the store of the first node no longer has a node that joined. False when the store does
# not answer: the node then starts and waits for it.
was_removed() { # FIRST-DIRECTORY
  local answer code=0
  has_joined || return 1
  answer=$(run_cli node get "${setting[name]}" --data "$1" 2>&1) || code=$?
  [ "$code" != 0 ] && [[ $answer == *"node ${setting[name]} does not exist"* ]]
}

own_name() { ! running_pid > /dev/null || printf '%s\n' "${setting[name]}"; }

# Runs in its own subshell, because it sets the settings and the data directory of the Nth node.
start_nth() { # N
  local first=$data server token
  local -A of_first=()
  local key
  for key in "${!setting[@]}"; do of_first[$key]=${setting[$key]}; done
  server=${setting[address]}:${setting[api_port]}
  data=$(prepare_data "$first/nodes/node-$1")
  wanted=()
  load_settings
  setting[demo]=${of_first[demo]} # with a shared store, a later `up --node N` uses it
  exec 9> "$data/up.lock"
  flock -n 9 || fail "another \"holdfast up\" works on $data at this moment"
  ! already_running || return 0
  if was_removed "$first"; then
    say "Node ${setting[name]} was removed from the cluster and is not started. Its data is in $data."
    return 0
  fi
  if [ ! -e "$data/holdfast.env" ]; then
    for key in $port_keys frontend_authentication disks $store_keys; do setting[$key]=${of_first[$key]}; done
    setting[name]=node-$1
    setting[address]=$(nth_address "${of_first[address]}" "$1")
  fi
  # Nodes with a shared store get the cluster's authority from it, so they need no join token.
  if ! has_joined && ! has_shared_store; then
    token=$(run_cli node token --ttl 600 --data "$first")
    join_as_member "$server" "$token"
  fi
  start_node
}

# Prints the data directories of all nodes of this machine, the first node first.
node_directories() {
  local directory
  printf '%s\n' "$data"
  for directory in "$data"/nodes/node-*/; do
    directory=$(readlink -m "$directory")
    if [ -e "$directory/holdfast.env" ] || (data=$directory; is_used); then
      printf '%s\n' "$directory"
    fi
  done | sort -V
}

# --- on another machine ----------------------------------------------------------------

prepare_join() {
  ! has_joined || return 0
  [ -n "$token" ] || misuse "up: --join needs --token T; make one there with: holdfast node token"
  wanted[name]=${wanted[name]:-$(node_name)}
  case $join in
    127.* | localhost | localhost:*) ;;
    *) [ -n "${wanted[address]:-}" ] ||
      misuse "up: --join needs --address A: where the other nodes reach this one" ;;
  esac
}

# Prints the name of this machine in the form of a node name.
node_name() {
  local name
  name=$(tr '[:upper:]' '[:lower:]' < /proc/sys/kernel/hostname)
  name=${name%%.*}
  printf '%s\n' "${name//[^a-z0-9-]/-}"
}

join_cluster() {
  [ -n "$join" ] || return 0
  if has_joined; then
    say "This node belongs already to the cluster of $(store_server)."
    return 0
  fi
  join_as_member "$join" "$token"
}

join_as_member() { # SERVER TOKEN
  HOLDFAST_JOIN_TOKEN=$2 run_cli node join "$1" --name "${setting[name]}" \
    --address "${setting[address]},${setting[advertised_address]:-${setting[address]}}" \
    --data "$data" || exit
}

# Names a new node of a shared store after its machine, because each node needs a different name.
name_in_shared_store() {
  [ ! -e "$data/holdfast.env" ] && [ "${wanted[store]}" != embedded ] || return 0
  [ "${wanted[nodes]:-1}" = 1 ] || return 0
  wanted[name]=${wanted[name]:-$(node_name)}
  case ${wanted[address]:-127.0.0.1} in
    127.*) say "Nodes on other machines reach this one only with --address ITS-ADDRESS." ;;
  esac
}

# Prints which store a node waits for.
store_place() {
  case $(store_kind) in
    kubernetes) echo "its store, the API server of Kubernetes" ;;
    etcd) echo "its store, the etcd at ${setting[endpoints]}" ;;
    *) echo "the node that has the store, at $(store_server)" ;;
  esac
}

# Prints the URL of the API through which this node reaches its store.
store_server() { grep -o 'https://[^"]*' "$data/cluster/kubeconfig" | head -n 1; }
