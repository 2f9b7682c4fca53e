# shellcheck shell=bash
# Commands for the machines of `holdfast sandbox --vms`, whose directory is $data. Scenarios and the
# shells of the sandbox use them.

readonly scenario_folder=$HOLDFAST_HOME/itests/scenarios/shared-group
readonly group_document=$HOLDFAST_HOME/engines/lvm/SHARED-GROUPS.md
# Memory of a machine, and the time limit after which it is killed.
readonly vm_mebibytes=1536 vm_seconds=36000

address_of() { printf '10.9.0.%d\n' $(($1 + 1)); }

# Runs a line of shell in a machine.
at() { # N LINE
  "$HOLDFAST_HOME/itests/lib/vm-agent" run "$data" "$1" /bin/bash -c "$2" < /dev/null
}

# Prints the directory of a node, which its machine shares with this machine.
node_data() { printf '%s/node-%d\n' "$data" "$1"; }

# Runs `holdfast` of the distribution in a machine.
holdfast_at() { # N WORD...
  local line
  line=$(printf ' %q' "$(distribution)/holdfast" "${@:2}" --data "$(node_data "$1")")
  at "$1" "HOLDFAST_JAVA_OPTS='-XX:+UseSerialGC -XX:TieredStopAtLevel=1' HOLDFAST_START_TIMEOUT=300$line"
}

holdfast() { holdfast_at 1 "$@"; }

# Waits until a command succeeds.
await() { # SECONDS WHAT COMMAND...
  local limit=$((SECONDS + $1)) what=$2 told
  shift 2
  until told=$("$@" 2>&1); do
    if [ "$SECONDS" -ge "$limit" ]; then
      printf 'not in time: %s\n%s\n' "$what" "$told" >&2
      return 1
    fi
    sleep 0.5
  done
}

# --- machines and nodes ----------------------------------------------------------------

start_machine() { # N
  mkdir -p "$(node_data "$1")"
  # The machine gets its own process group, so that its power can be cut.
  setsid "$HOLDFAST_HOME/libexec/vm" -u -m "$vm_mebibytes" -t "$vm_seconds" \
    -M "dm-mod dm-thin-pool nbd ext4" -D "$data/shared.disk" -l "$(($1 + 1)):$(< "$data/network")" \
    -s "$(node_data "$1")" -- perl "$HOLDFAST_HOME/bundles/testkit/vm/src/main/resources/dev/holdfast/vm/testkit/agent.pl" \
    10.0.2.2 "$(< "$data/agent.port")" "$1-$(< "$data/agent.secret")" \
    < /dev/null > "$data/log/vm-$1.log" 2>&1 9>&- &
  printf '%s\n' "$!" > "$data/vm-$1.pid"
}

prepare_machine() { # N
  await 120 "machine $1 ($data/log/vm-$1.log)" answers_or_ended "$1" && at "$1" true &&
    at "$1" "$(< "$HOLDFAST_HOME/bundles/testkit/lvm/src/main/resources/dev/holdfast/lvm/testkit/shared-node.sh")"
}

answers_or_ended() { has_ended "$(< "$data/vm-$1.pid")" || at "$1" true; } # N

machines() { seq "$(< "$data/machines")"; }

# Runs the lines "every node$ ...", "first node$ ..." and "other nodes$ ..." of the document in
# their machines.
set_group_up() {
  local who line number
  while IFS='$' read -r who line; do
    for number in $(machines); do
      case $who:$number in
        'first node':1 | 'every node':*) ;;
        'other nodes':1 | 'first node':*) continue ;;
      esac
      at "$number" "ID=$number DISK=/dev/ubda; $line" > "$data/log/set-up.log" 2>&1 ||
        { printf 'node %s: %s\n' "$number" "$line"; cat "$data/log/set-up.log"; return 1; } >&2
    done
  done < <(grep -E '^(every node|first node|other nodes)\$ ' "$group_document")
}

start_first() {
  say "Starting node 1"
  holdfast_at 1 up --no-demo --name node-1 --address "$(address_of 1)" --disks 0 > "$data/log/up-1.log" 2>&1
}

start_further() { # N
  local token
  say "Starting node $1"
  token=$(holdfast node token) || return
  holdfast_at "$1" up --no-demo --name "node-$1" --address "$(address_of "$1")" --disks 0 \
    --join "$(address_of 1)" --token "$token" > "$data/log/up-$1.log" 2>&1
}

# Cuts the power of a machine. Data that it had not written to its disks is lost.
power-off() { # N
  local machine
  machine=$(cat "$data/vm-$1.pid" 2> /dev/null) || return 0
  kill -TERM "$machine" 2> /dev/null || true # libexec/vm then kills the machine
  await 30 "the end of machine $1" has_ended "$machine" || return
  rm -f "$data/vm-$1.pid"
}

has_ended() { ! kill -0 "$1" 2> /dev/null; }

# Starts a machine, its daemons and its node after a power cut.
power-on() { # N
  start_machine "$1" && prepare_machine "$1" && join_lock_space "$1" && holdfast_at "$1" up --no-demo
}

# Starts the lock daemons and the lock space. On a host, systemd units do this at each start.
join_lock_space() { # N
  at "$1" "echo 'global { use_lvmlockd = 1 } local { host_id = $1 }' > /etc/lvm/lvmlocal.conf &&
    systemctl enable --now sanlock lvmlockd && vgchange --lock-start vg0"
}

# --- inspection ------------------------------------------------------------------------

logs() { tail -n 200 "$(node_data "$1")/log/holdfast.log"; } # N
tables() { at "$1" 'dmsetup info -c; dmsetup table'; } # N
locks() { at "$1" 'lvmlockctl --info; sanlock client status -D; sanlock client host_status -s lvm_vg0 -D'; } # N
lvm() { at "$1" 'vgs -o +lock_type,lock_args vg0; lvs -a -o +lock_args,active,tags vg0'; } # N

# Opens a shell with its own terminal in a machine.
enter() { # N
  "$HOLDFAST_HOME/itests/lib/vm-agent" run "$data" "$1" script -qc 'PS1="vm# " bash --norc -i' /dev/null
}

# --- scenarios -------------------------------------------------------------------------

# Prints commands that define the functions and variables of this file in another shell.
commands_for_a_shell() {
  printf 'HOLDFAST_HOME=%q\n' "$HOLDFAST_HOME"
  printf '. %q\n' "$HOLDFAST_HOME"/{libexec/common.sh,libexec/build.sh,itests/lib/vm-commands.sh}
  printf 'data=%q\n' "$data"
}

# Runs a scenario in its own shell, which exits at the first command that fails.
run_scenario() { # NAME
  local began=$SECONDS
  [ -e "$scenario_folder/$1.sh" ] || misuse "sandbox: unknown scenario \"$1\"; there are: $(scenario_names | paste -sd' ')"
  say "Scenario $1"
  if bash -c "$(commands_for_a_shell); set -euo pipefail; . $scenario_folder/$1.sh"; then
    say "Scenario $1 passed after $((SECONDS - began)) s"
  else
    say "Scenario $1 failed after $((SECONDS - began)) s"
    return 1
  fi
}

# Prints the names of the scenarios. `use` is first: it adds the disks by the commands of the
# document, so it needs nodes without disks.
scenario_names() {
  echo use
  (cd "$scenario_folder" && printf '%s\n' *.sh | sed 's/\.sh$//' | grep -vx use)
}

# Prints the commands of the document without "$ holdfast".
document_commands() { sed -n '/^## Use by volumes/,/^## /s/^\$ holdfast //p' "$group_document"; }

assert_equal() { # EXPECTED FOUND
  [ "$1" = "$2" ] || { printf 'expected: %s\nfound: %s\n' "$1" "$2" >&2; return 1; }
}

# Runs a command with a time limit of 600 s, because the machines are slow.
wait_for() { holdfast "$@" --timeout 600; } # WORD...

# Adds the group on each node that does not have it yet.
add_disks() {
  local number have
  have=$(holdfast disk list -o json)
  for number in $(machines); do
    jq -e ".. | objects | select(.nodeID? == \"node-$number\" or .node? == \"node-$number\")" <<< "$have" > /dev/null ||
      wait_for disk add /dev/vg0 --type volume-group --node "node-$number"
  done
}

volume_field() { holdfast volume get "$1" -o json | jq -r ".status.$2"; } # VOLUME FIELD

# True when a condition of a volume is False with the given reason.
condition_names() { # VOLUME REASON
  holdfast volume get "$1" -o json |
    jq -e ".status.conditions[] | select(.status == \"False\" and .reason == \"$2\")"
}

# Prints the device of a volume on the node to which it is attached.
device_of() { # VOLUME
  local endpoint
  endpoint=$(holdfast volume endpoint "$1") || return
  printf '%s\n' "${endpoint#device:}"
}

# Both functions bypass the page cache: reads come from the device, and writes reach the disk.
write_text() { # N VOLUME TEXT
  at "$1" "printf '%-4096s' '$3' | dd of=$(device_of "$2") bs=4096 count=1 oflag=direct conv=fsync status=none"
}

read_text() { # N VOLUME
  at "$1" "dd if=$(device_of "$2") bs=4096 count=1 iflag=direct status=none | sed 's/ *$//'"
}

# Prints the nodes on which a pool is active, according to their kernels.
active_pools() {
  local number found=()
  for number in $(machines); do
    [ "$(at "$number" 'dmsetup ls | grep -c tpool || true')" = 0 ] || found+=("$number")
  done
  echo "pool on node ${found[*]:-none}"
}

# Starts verified writes to a volume after its first MiB. They continue until `end_writes`.
start_writes() { # N VOLUME
  at "$1" "rm -f /run/stop-$2; setsid fio --name=x --filename=$(device_of "$2") --ioengine=libaio --direct=1 \
    --rw=randwrite --bs=4k --iodepth=8 --offset=1M --size=32M --rate_iops=100 --verify=crc32c \
    --verify_backlog=64 --verify_state_save=0 --time_based --runtime=7200 --trigger-file=/run/stop-$2 \
    --output-format=json --output=/run/fio-$2.json > /run/fio-$2.log 2>&1 < /dev/null & echo \$! > /run/fio-$2.pid"
  await_writes "$1" "$2"
}

# Waits until a volume's device has completed further writes.
await_writes() { # N VOLUME
  at "$1" "stat=/sys/block/\$(basename \$(readlink -f $(device_of "$2")))/stat
    writes() { awk '{print \$5}' \$stat; }; goal=\$((\$(writes) + 100))
    for i in \$(seq 1200); do [ \$(writes) -lt \$goal ] || exit 0; sleep 0.2; done; cat /run/fio-$2.log; exit 1"
}

# Ends the writes and fails on an error or on a wrong byte.
end_writes() { # N VOLUME
  at "$1" "touch /run/stop-$2; while kill -0 \$(cat /run/fio-$2.pid) 2> /dev/null; do sleep 0.2; done
    jq -e '.jobs[0].error == 0' /run/fio-$2.json > /dev/null || { cat /run/fio-$2.log; exit 1; }"
}

# Fails if a device of a volume remains in a machine or in the group.
assert_no_devices() {
  local number
  for number in $(machines); do
    assert_equal '' "$(at "$number" 'dmsetup ls | grep hf || true; lvs --noheadings vg0')"
  done
}
