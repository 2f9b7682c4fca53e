# shellcheck shell=bash
# Restricts the data directory to its owner, because it contains volumes, keys and passwords.

# Entries that a data directory may contain before its first start.
readonly known_entries=' cluster csi demo.created disks frozen holdfast.env.damaged holdfast.env.new holdfast.pid
 initiators karaf kubeconfig
 log lost+found mounts node.id nodes page restore.new restore.ready run secrets snapshots store tls token up.lock upgrade volume-use '

# Gives only the owner access to a data directory. Before the first start, rejects a directory with
# other files: closing /tmp, for example, would lock out all other accounts.
close_directory() { # DIR
  local entry
  if [ ! -e "$1/holdfast.env" ] && [ ! -e "$1/node.id" ]; then
    for entry in "$1"/* "$1"/.[!.]*; do
      [ -e "$entry" ] || continue
      [[ ${known_entries//$'\n'/ } == *" ${entry##*/} "* ]] ||
        fail "$1 is not a data directory, it has ${entry##*/}; only the owner gets access to a data directory: choose an empty one with --data DIR"
    done
  fi
  chmod 0700 "$1" ||
    fail "cannot set the mode of $1 to 0700; run as its owner or choose another with --data DIR"
}

# Removes the access that earlier releases left to other accounts. Skips other file systems: the
# node restricts its own disks, and mounts below initiators/ may answer only while the node runs.
# Skips nodes/, because each node of this machine restricts its own directory.
close_contents() {
  local trouble
  trouble=$(cd "$data" && find . -xdev \( -path ./initiators -o -path ./nodes \) -prune \
    -exec chmod go= {} + -o \( -type d -o -type f -o -type s -o -type p \) -perm /077 \
    -exec chmod go= {} + 2>&1) ||
    say "Some files below $data keep their mode: ${trouble%%$'\n'*}. Other accounts do not reach them." >&2
}
