# shellcheck shell=bash
# Starts a node of a sandbox: containerd and a kubelet in separate network, mount and process
# namespaces.
#
# Programs and pods use the usual paths, which are folders of the sandbox:
#
#   /var/lib/kubelet /var/lib/containerd /var/log/pods ...   DATA/node-N/...
#   /run/containerd                                          in memory

readonly node_places='var/lib/kubelet var/lib/containerd var/lib/cni var/lib/holdfast var/log/pods
  var/log/containers etc/cni/net.d'

node_address() { printf '10.44.0.1%s\n' "$1"; } # N

on_node() { # N COMMAND...
  local first
  first=$(cat "$data/node-$1.first")
  shift
  nsenter --target "$first" --net --mount --pid -- "$@"
}

# Starts a program that runs until the node ends.
start_on() { # N NAME COMMAND...
  local first name=$2
  first=$(cat "$data/node-$1.first")
  shift 2
  start "$name" nsenter --target "$first" --net --mount --pid -- "$@"
}

each_of_nodes() { # COMMAND...: gets the number of the node as its last argument
  local n pids=() failed=0
  for ((n = 1; n <= nodes; n++)); do
    "$@" "$n" &
    pids+=($!)
  done
  for n in "${pids[@]}"; do
    wait "$n" || failed=1
  done
  return "$failed"
}

start_nodes() {
  local n
  for ((n = 1; n <= nodes; n++)); do
    make_place "$n" && join_network "$n" && make_cgroup "$n" && start_containerd "$n" || return
  done
  for ((n = 1; n <= nodes; n++)); do
    await 60 "containerd answers on node-$n" on_node "$n" ctr version && start_kubelet "$n" || return
  done
}

# Starts the first process of a node and mounts its folders. The node ends with this process. It is
# a shell, because it inherits orphaned processes.
make_place() { # N
  local place
  start "node-$1" unshare --net --mount --pid --fork --kill-child --mount-proc --propagation slave \
    bash -c 'while :; do sleep infinity & wait; done'
  await 10 "node-$1 has a first process" find_first "$1" || return
  on_node "$1" mount --make-rshared /
  for place in $node_places; do
    mkdir -p "/$place" "$data/node-$1/$place" &&
      on_node "$1" mount --bind "$data/node-$1/$place" "/$place" || return
  done
  mkdir -p /run/containerd
  on_node "$1" mount -t tmpfs none /run/containerd
}

find_first() { # N
  local first
  first=$(pgrep -P "$(cat "$data/node-$1.pid")") &&
    [ "$(cat "/proc/$first/comm")" = bash ] && printf '%s\n' "$first" > "$data/node-$1.first"
}

join_network() { # N
  local address
  address=$(node_address "$1")
  ip link add "hf0-$1" type veth peer name eth0 netns "$(cat "$data/node-$1.first")" &&
    ip link set "hf0-$1" master hf0 up &&
    ip route add "10.45.$1.0/24" via "$address" &&
    on_node "$1" ip link set lo up &&
    on_node "$1" ip address add "$address/24" dev eth0 &&
    on_node "$1" ip link set eth0 up &&
    on_node "$1" ip route add default via "$plane_address" &&
    on_node "$1" sysctl -q -w net.ipv4.ip_forward=1 &&
    pod_network "$1" > "$data/node-$1/etc/cni/net.d/10-pods.conflist"
}

pod_network() { # N
  cat <<CONFIG
{"cniVersion": "1.0.0", "name": "pods", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true,
   "ipam": {"type": "host-local", "ranges": [[{"subnet": "10.45.$1.0/24"}]],
            "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "loopback"}]}
CONFIG
}

# Creates a control group for each node. A kubelet removes unknown groups below its own root, so it
# must not share the root with another kubelet.
make_cgroup() { # N
  local folder name
  name=$(cgroups)/node-$1
  for folder in /sys/fs/cgroup /sys/fs/cgroup/*/; do
    [ -e "$folder/cgroup.procs" ] || continue
    mkdir -p "$folder/$name" || return
  done
  # A cpuset without processors cannot run processes.
  for folder in "/sys/fs/cgroup/cpuset/$(cgroups)" "/sys/fs/cgroup/cpuset/$name"; do
    [ -e "$folder/cpuset.cpus" ] || continue
    cat "$folder/../cpuset.cpus" > "$folder/cpuset.cpus"
    cat "$folder/../cpuset.mems" > "$folder/cpuset.mems"
  done
}

start_containerd() { # N
  containerd_settings > "$data/node-$1/containerd.toml"
  start_on "$1" "containerd-$1" containerd --config "$data/node-$1/containerd.toml"
}

containerd_settings() {
  cat <<CONFIG
version = 2
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  # Without CAP_SYS_RESOURCE, no process may get a lower OOM score than this one.
  restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".containerd]
  snapshotter = "$(snapshotter)"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "/usr/lib/cni"
  conf_dir = "/etc/cni/net.d"
CONFIG
}

# --- kubelet --------------------------------------------------------------------------------

start_kubelet() { # N
  kubelet_settings "$1" > "$data/node-$1/kubelet.yaml"
  start_on "$1" "kubelet-$1" kubelet --config="$data/node-$1/kubelet.yaml" \
    --kubeconfig="$data/node-$1.kubeconfig" --hostname-override="node-$1" \
    --node-ip="$(node_address "$1")"
}

# The kubelet accepts all requests, because the network has no other clients.
kubelet_settings() { # N
  cat <<CONFIG
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: 0.0.0.0
authentication:
  anonymous: {enabled: true}
  webhook: {enabled: false}
authorization: {mode: AlwaysAllow}
cgroupDriver: cgroupfs
cgroupRoot: /$(cgroups)/node-$1
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
enforceNodeAllocatable: []
evictionHard: {memory.available: 1Mi, nodefs.available: 1Mi, imagefs.available: 1Mi}
failCgroupV1: false
failSwapOn: false
imageGCHighThresholdPercent: 100
CONFIG
}

# --- the end --------------------------------------------------------------------------------

# Stops the users of volumes before the volumes, and the volumes before their nodes, so that no
# device remains.
stop_nodes() {
  each_of_nodes stop_pods > "$data/log/stop.log" 2>&1 || true
  each_of_nodes take_volumes >> "$data/log/stop.log" 2>&1 || true
}

# Kills the kubelet and all containers except those of Holdfast.
stop_pods() { # N
  local container
  [ -e "$data/node-$1.first" ] || return 0
  kill_started "kubelet-$1"
  for container in $(on_node "$1" ctr --namespace k8s.io containers ls | awk 'NR > 1 && $2 !~ /\/holdfast:/ {print $1}'); do
    on_node "$1" ctr --namespace k8s.io tasks kill --signal KILL "$container" 2> /dev/null || true
  done
}

take_volumes() { # N
  [ -e "$data/node-$1.first" ] || return 0
  # The users of a device wait if its node has stopped. Kill the device's process, so that
  # unmounting succeeds.
  unmount_volumes "$1" || {
    on_node "$1" pkill -KILL -x 'nbdfuse|qemu-nbd'
    unmount_volumes "$1"
  } || true
  detach_devices "$1"
}

unmount_volumes() { # N
  on_node "$1" bash -c 'for try in 1 2 3 4 5; do
    findmnt -rno TARGET | grep -E "^/var/lib/kubelet/." | sort -r | timeout 20 xargs -r -n 1 umount && exit
    sleep 0.5
  done
  exit 1'
}

# Detaches first the loop devices that the kubelet created for raw block volumes, then those of
# Holdfast. Devices of another sandbox have the same paths but other volumes, so the folder of the
# volume must exist on this node. The backing file cannot be checked, because it is inaccessible
# once its process has ended.
detach_devices() { # N
  local device file owner
  for owner in kubelet holdfast; do
    on_node "$1" losetup -nO NAME,BACK-FILE | while read -r device file; do
      case $file in
        /var/lib/"$owner"/*)
          ! on_node "$1" test -d "$(dirname "$(dirname "$file")")" || losetup -d "$device" || true ;;
      esac
    done
  done
}

kill_started() { # NAME
  local pid tries
  pid=$(cat "$data/$1.pid" 2> /dev/null) || return 0
  # The recorded process is nsenter. Kill its child, the program inside the node.
  pkill -KILL -P "$pid" || true
  for ((tries = 0; tries < 50; tries++)); do
    kill -0 "$pid" 2> /dev/null || return 0
    sleep 0.1
  done
}
