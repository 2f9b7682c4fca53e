# shellcheck shell=bash
# Functions and variables of all parts of the command: messages, exit codes, the data directory.

data=            # the data directory that a command works on
java_command=()  # the node's command line, set by node_command

# Exit codes of every command: 0 done, 1 failed, 2 wrong usage.
fail() { printf 'holdfast: %s\n' "$*" >&2; exit 1; }
misuse() { printf 'holdfast: %s\n' "$*" >&2; exit 2; }
say() { printf '%s\n' "$*"; }

usage() {
  cat <<'USAGE'
holdfast - block storage for this host

  holdfast up [OPTION...]         build if needed, start the node, create the volume demo
      --data DIR                  state directory (/var/lib/holdfast, or ~/.local/share/holdfast)
      --foreground                stay in the foreground, for a service manager
      --no-demo                   do not create the volume demo, now and at later starts; --demo does
      --repair-settings           replace a missing or damaged DIR/holdfast.env by the options given
      --empty-store               start without a store beside replicas, for `volume import`
      --address A                 address to listen on (127.0.0.1)
      --advertised-address A      address told to clients (the one listened on)
      --api-port N --nbd-port N --ssh-port N        7443, 10809, 8101
      --iscsi-port N --nvmeof-port N                3260, 4420, once a volume is shown there
      --rpc-port N --replica-port N                 between nodes: 7444, 10810
      --name N                    the node's name (node-1)
      --disks N                   disks made at the first start (3; 1 on each of several nodes)
      --nodes N                   N nodes of one cluster on this machine, on loopback addresses
      --node N                    only the Nth of them, which was started before
      --log-format FORMAT         format of the log: text (a new node) or json
      --open-frontends WHO        clients of volumes without a credential: none (a new node), those on
                                  this machine (loopback), or all (network)
      --join A[:PORT] --token T   make this machine a node of the cluster whose API is there
      --store embedded|kubernetes|etcd              where resources are kept (docs/operations/nodes.md)
      --kubeconfig FILE --namespace NS              of the cluster, with --store kubernetes
      --endpoints URL,URL --etcd-ca FILE --etcd-cert FILE --etcd-key FILE   with --store etcd
      --etcd-user NAME --etcd-password-file FILE    where etcd knows users by passwords
      --csi SOCKET                serve the CSI driver csi.holdfast.dev there (docs/CSI.md)
      --csi-registration DIR      and register it with the kubelet that watches DIR
      --csi-max-volumes N         volumes that it publishes to one node (0: no limit)
  holdfast down [--timeout S]     stop all nodes; volumes come back with the next up
      --processes                 also end what engines left running for hosts, such as nvmf_tgt
      --node N                    only the Nth
  holdfast status [-o json]       is it running, where does it listen
  holdfast health [-o json]       what is wrong in the cluster, and what to do about it
  holdfast check [-o json]        what a node needs of this host, also before the first start
  holdfast setting list | get NAME | set NAME VALUE | unset NAME | explain NAME
  holdfast token create NAME --role ROLE | list | rotate NAME | remove NAME; holdfast role list
  holdfast audit [--since 24h]    which user changed what, on all nodes
  holdfast support-bundle [FILE]  one file for support, of all nodes and without secrets
  holdfast cluster backup FILE    store, keys and settings of the cluster, without volumes
  holdfast cluster restore FILE   in a stopped node's directory; then: holdfast up
  holdfast cluster authority rotate | status | finish    replace the authority of the nodes
  holdfast logs [-f] [-n LINES]   the node's log; of the Nth with --node N
  holdfast kubeconfig             the file for kubectl
  holdfast page [--role view]     the address of the web page, which signs in once
  holdfast shell [COMMAND]        the Karaf shell of the node

  holdfast volume create NAME --size 1Gi [--replicas N] [--engine sparse] [--frontend nbd]
  holdfast volume list | get NAME | delete NAME | attach NAME [--node N] | detach NAME
  holdfast volume delete NAME --when-detached | --cancel   once it is detached; not any more
  holdfast volume list --deleted | undelete NAME | purge NAME   deleted volumes that are kept
  holdfast volume endpoint NAME [--remote]   the address for clients of this account, or of other hosts
  holdfast client add NAME --volume V --directory DIR   lets a client on another host use volumes;
                                  list | rotate NAME | remove NAME
  holdfast volume why NAME        which tickets hold the volume, which wait, and for what
  holdfast volume optimize NAME --node N   the node that uses a disk which several nodes see
  holdfast snapshot create VOLUME [NAME] | list VOLUME | revert VOLUME NAME | delete VOLUME NAME
  holdfast ticket list | delete VOLUME TICKET   of an attacher that is uninstalled
  holdfast disk add | remove | list | cordon ID | drain ID | uncordon ID
  holdfast node list | wait NAME... | token | renew | cordon NAME | drain NAME | uncordon NAME
  holdfast replica list | event list [--for NAME]   where replicas are; what happened
  holdfast mount NAME DIR         a filesystem on the volume; holdfast umount DIR
  holdfast mount --persist NAME DIR | --restore    the same, and again after a reboot
  holdfast share NAME [--allow CIDR,CIDR]   export an rwx volume to many hosts over NFS
  holdfast share list | get NAME | stop NAME | clients NAME | trim NAME | mount NAME DIR
  holdfast image create NAME --url URL | upload NAME FILE | list | get NAME | delete NAME
  holdfast backup add-target URL | create VOLUME | list [VOLUME] | delete NAME | mount NAME DIR
  holdfast backup verify URL | extract URL   without a node
  holdfast volume create NAME --backup NAME   a volume with the content of a backup
  holdfast recurring-job create NAME | list   snapshots and backups by a schedule
  holdfast system-backup create NAME | list | restore NAME   the resources of the cluster

  holdfast upgrade FILE|COORDINATES [--plan] [--restart] [--node N]
                                  replace a bundle, a feature or a release while volumes are in use
  holdfast upgrade --status | --rollback

  holdfast test [quick|soak]      everything CI runs; the inner loop; the long form
  holdfast test simulation [--histories N] [--seed S]   histories of replication, by seed
  holdfast bench nbd              speed beside nbdkit and qemu-nbd; bench replicated: beside a quorum
  holdfast bench iscsi | nvmeof   iSCSI beside tgt; NVMe/TCP beside our NBD
  holdfast bench share            a share beside a bare NFS server
  holdfast bench chain | volumes  reads at depths of snapshots; what 500 open volumes cost
  holdfast bench images           volumes on an image; conversion of qcow2 beside qemu-img
  holdfast bench http             requests to the API of a node, and a flood, by h2load
  holdfast bench rebuild          what a rebuild copies in a second, beside nbdcopy
  holdfast bench upgrade          how long a client waits while bundles are replaced
  holdfast bench native           the same for a volume that its engine exports past the container
  holdfast sandbox [--run COMMAND]   a Kubernetes of one machine with Holdfast, and a shell with kubectl
      --nodes N --data DIR --pause-on-failure (docs/CSI.md)
      --vms N --shared-disk 4G    nodes in virtual machines with a shared volume group, without Kubernetes
      --scenario NAME,NAME        run these scripts of itests/scenarios/shared-group there, or all
  holdfast vm COMMAND             run a command under another kernel, see `holdfast vm -h`

Every command takes --data DIR; those that print take -o json.
Options given to up are kept in DIR/holdfast.env for the next start.
USAGE
}

in_tree() { # COMMAND
  [ -e "$HOLDFAST_HOME/pom.xml" ] ||
    fail "$1 needs the source tree; this is the distribution in $HOLDFAST_HOME"
}

default_data() {
  if [ -n "${HOLDFAST_DATA:-}" ]; then
    printf '%s\n' "$HOLDFAST_DATA"
  elif [ "$(id -u)" = 0 ]; then
    printf '%s\n' /var/lib/holdfast
  else
    printf '%s\n' "${XDG_DATA_HOME:-$HOME/.local/share}/holdfast"
  fi
}

# Ends the command when this user may not read a file or may not look up whether it exists.
deny_unreadable() { # FILE
  local path=$1
  until [ -e "$path" ]; do path=$(dirname "$path"); done
  if [ "$path" = "$1" ]; then
    [ -r "$path" ] && return 0
  else
    [ ! -d "$path" ] || [ -x "$path" ] && return 0
  fi
  fail "no permission to read $1: run the command as $(stat -c %U "$path")"
}

# Prints the value that follows an option. Without a value, reports wrong usage.
value() { # OPTION [VALUE...]
  [ $# -ge 2 ] || misuse "$1 needs a value"
  printf '%s\n' "$2"
}

# True when the node of the data directory joined a cluster whose store is on another node.
has_joined() { [ -e "$data/cluster/kubeconfig" ]; }

# True when the node of the data directory keeps its resources in Kubernetes or etcd.
has_shared_store() { [ -n "${setting[store]}" ] && [ "${setting[store]}" != embedded ]; }

has_store_elsewhere() { has_joined || has_shared_store; }

check_number() { # OPTION VALUE LOWEST HIGHEST
  if ! [[ $2 =~ ^[0-9]{1,5}$ ]] || [ "$2" -lt "$3" ] || [ "$2" -gt "$4" ]; then
    misuse "$1 takes a number from $3 to $4, not \"$2\""
  fi
}
