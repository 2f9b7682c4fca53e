# shellcheck shell=bash
# Reads and writes the settings of a node. Options of this call override DIR/holdfast.env, which
# overrides the defaults.

declare -A setting=()
readonly port_keys='api_port rpc_port nbd_port iscsi_port nvmeof_port replica_port ssh_port'
readonly store_keys='store kubeconfig namespace endpoints etcd_ca etcd_cert etcd_key etcd_user
  etcd_password_file'
# Settings that every release has written. A file without one of them is damaged.
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

# Reads the settings. Lost settings end the command unless `up` may replace them: a node must not
# run with the defaults instead.
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
  # The settings of a further node derive from those of the first one.
  [ "$first" != "$data" ] ||
    options=", with all options that the node had (such as --name, --address, --api-port, --nodes, --store)"
  fail "$1, but a node has run in $data: put a copy of the file there," \
    "or run$options: holdfast up --data $(printf %q "$first") --repair-settings"
}

# Parses lines NAME=VALUE with the names above. The file is never run as a script.
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

# Prints the defect of the settings of a data directory that a node has used.
settings_trouble() {
  local file=$data/holdfast.env reason
  is_used || return 0
  if [ ! -e "$file" ]; then
    printf '%s: missing\n' "$file"
  elif ! reason=$(damage_of_settings "$file"); then
    printf '%s: damaged: %s\n' "$file" "$reason"
  fi
}

# True when a node has run here. Each start leaves the file node.id, and a store or replicas.
is_used() { [ -e "$data/node.id" ] || [ -e "$data/store/holdfast.db" ] || has_replicas; }

has_replicas() {
  local replica
  for replica in "$data"/disks/*/replicas/*; do
    [ ! -e "$replica" ] || return 0
  done
  return 1
}

# Fails and prints the defect of a damaged settings file. Succeeds if the file is complete.
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

# Replaces the settings file. A power cut leaves the complete old file or the complete new one. The
# function checks every step itself, because callers use it in conditions, where bash continues
# after an error.
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

# Renames a damaged settings file, so that the options of this call replace it.
set_settings_aside() {
  ! running_pid > /dev/null ||
    fail "the node runs; stop it before its settings are repaired: holdfast down --data $(printf %q "$data")"
  [ -e "$data/holdfast.env" ] || return 0
  mv "$data/holdfast.env" "$data/holdfast.env.damaged"
  say "Keeping the damaged settings as $data/holdfast.env.damaged"
}
