# shellcheck shell=bash
# The data directory is for its owner alone: volumes, keys and passwords are in it.

# What a data directory may have before its first start.
readonly known_entries=' cluster csi demo.created disks frozen holdfast.env.damaged holdfast.env.new holdfast.pid
 initiators karaf kubeconfig
 log lost+found mounts node.id nodes page restore.new restore.ready run secrets snapshots store tls token up.lock upgrade volume-use '

# Gives a data directory to its owner alone. At the first start one with files that are not a node's
# is refused: for example /tmp would become useless for all other accounts.
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

# Takes from other accounts what earlier releases left readable. Other file systems are left out:
# the node sees to its disks, and below initiators/ some would answer only when the node runs.
# Nodes of one machine see to their own directories.
close_contents() {
  local trouble
  trouble=$(cd "$data" && find . -xdev \( -path ./initiators -o -path ./nodes \) -prune \
    -exec chmod go= {} + -o \( -type d -o -type f -o -type s -o -type p \) -perm /077 \
    -exec chmod go= {} + 2>&1) ||
    say "Some files below $data keep their mode: ${trouble%%$'\n'*}. Other accounts do not reach them." >&2
}
