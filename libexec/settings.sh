# shellcheck shell=bash
# A node's settings: defaults, then DIR/holdfast.env, then the options of this call.

declare -A setting=()
readonly port_keys='api_port rpc_port nbd_port iscsi_port nvmeof_port replica_port ssh_port'
readonly store_keys='store kubeconfig namespace endpoints etcd_ca etcd_cert etcd_key etcd_user
  etcd_password_file'
# What every release has written.
readonly required_keys='name address api_port nbd_port ssh_port disks'

default_settings() {
  setting=([name]=node-1 [address]=127.0.0.1 [advertised_address]=""
    [api_port]=7443 [rpc_port]=7444 [nbd_port]=10809 [iscsi_port]=3260
    [nvmeof_port]=4420 [replica_port]=10810 [ssh_port]=8101 [disks]=3 [nodes]=1 [demo]=yes
    [frontend_authentication]="" [log_format]=text
    [csi]="" [csi_registration]="" [csi_max_volumes]=0
    [store]="" [kubeconfig]="" [namespace]="" [endpoints]="" [etcd_ca]="" [etcd_cert]="" [etcd_key]=""
    [etcd_user]="" [etcd_password_file]="")
}

repair=  # whether `up` may replace lost settings

# A node that has lost its settings must not run with the defaults.
load_settings() {
  local trouble
  deny_unreadable "$data/holdfast.env"
  trouble=$(settings_trouble)
  if [ -n "$trouble" ] && [ -n "$repair" ]; then
    set_settings_aside
  elif [ -n "$trouble" ]; then
    settings_lost "$trouble"
  fi
  read_settings
}

settings_lost() { # TROUBLE
  local first=${data%/nodes/node-*} options=''
  # Those of a further node follow from the first one's.
  [ "$first" != "$data" ] ||
    options=", with all options that the node had (such as --name, --address, --api-port, --nodes, --store)"
  fail "$1, but a node has run in $data: put a copy of the file there," \
    "or run$options: holdfast up --data $(printf %q "$first") --repair-settings"
}

# The file is read, never run: it has lines NAME=VALUE with the names above.
read_settings() {
  local key line
  default_settings
  [ -r "$data/holdfast.env" ] || return 0
  while IFS= read -r line; do
    key=${line%%=*}
    if [ -n "$key" ] && [[ $line == *=* ]] && [ -n "${setting[$key]+known}" ]; then
      setting["$key"]=${line#*=}
    fi
  done < "$data/holdfast.env"
}

# Prints what is wrong with the settings of a data directory that a node has used.
settings_trouble() {
  local file=$data/holdfast.env reason
  is_used || return 0
  if [ ! -e "$file" ]; then
    printf '%s: missing\n' "$file"
  elif ! reason=$(damage_of_settings "$file"); then
    printf '%s: damaged: %s\n' "$file" "$reason"
  fi
}

# Whether a node has run here: each start leaves a node.id, and a store, or replicas.
is_used() { [ -e "$data/node.id" ] || [ -e "$data/store/holdfast.db" ] || has_replicas; }

has_replicas() {
  local replica
  for replica in "$data"/disks/*/replicas/*; do
    [ ! -e "$replica" ] || return 0
  done
  return 1
}

# Fails, and prints the reason, unless a file has settings.
damage_of_settings() { # FILE
  local key value line
  if [ ! -s "$1" ]; then
    echo "it is empty"
    return 1
  fi
  if [ "$(tail -c 1 "$1" | od -An -tx1)" != " 0a" ]; then
    echo "its last line is not complete"
    return 1
  fi
  for key in $required_keys; do
    line=$(grep -a -m 1 "^$key=" "$1") || line=
    value=${line#*=}
    if [ -z "$value" ]; then
      echo "it has no value of $key"
      return 1
    fi
    case $key in
      *_port | disks)
        if ! [[ $value =~ ^[0-9]{1,5}$ ]]; then
          echo "$key is not a number"
          return 1
        fi
        ;;
    esac
  done
}

# A power cut leaves the former file or the new one, complete. The function checks every step
# itself, because callers use it in conditions, where bash continues after an error.
save_settings() {
  local key text='' file=$data/holdfast.env
  for key in name address advertised_address $port_keys frontend_authentication disks nodes demo log_format \
    csi csi_registration csi_max_volumes $store_keys; do
    text+=$key=${setting[$key]}$'\n'
  done
  ! printf %s "$text" | cmp -s - "$file" || return 0
  if ! { printf %s "$text" > "$file.new" && sync "$file.new" && mv "$file.new" "$file"; }; then
    rm -f "$file.new"
    fail "cannot write $file, which stays as it is: make space on its file system, then run the command again"
  fi
  sync "$data" || fail "cannot write the directory $data to its disk; run the command again"
}

# Makes room for settings from the options of this call.
set_settings_aside() {
  ! running_pid > /dev/null ||
    fail "the node runs; stop it before its settings are repaired: holdfast down --data $(printf %q "$data")"
  [ -e "$data/holdfast.env" ] || return 0
  mv "$data/holdfast.env" "$data/holdfast.env.damaged"
  say "Keeping the damaged settings as $data/holdfast.env.damaged"
}
