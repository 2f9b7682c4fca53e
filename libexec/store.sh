# shellcheck shell=bash
# Reports why a node cannot open its embedded store, and how to repair it.

# Prints the reason if the node could not open its store.
store_trouble() { [ ! -r "$data/store/trouble" ] || head -c 4096 "$data/store/trouble"; }

# Prints the reason and the commands that repair the store in this state.
store_ways_out() { # TROUBLE
  local store aside option
  printf '%s\n' "$1"
  case $1 in
    *" is damaged: "* | *" is missing, "* | *" is empty, "*) ;;
    *) return 0 ;;
  esac
  store=$(printf %q "$data/store")
  aside=$store/unusable-$(date +%Y%m%d-%H%M%S)
  option=" --data $(printf %q "$data")"
  if [ -n "$(find "$data/store" -maxdepth 1 -name 'holdfast.db*')" ]; then
    say "First move the store away; the replicas of volumes stay:"
    say "  mkdir $aside && mv $store/holdfast.db* $aside/"
  fi
  cat <<WAYS
With a copy of the store (FILE):
  cp FILE $store/holdfast.db && holdfast up$option
Without one, start with an empty store and import one replica of each volume:
  holdfast up --empty-store$option
  holdfast volume import NAME --longhorn $(a_replica)$option
See docs/operations/recovery.md, "A damaged or empty store".
WAYS
}

# Prints the path of a replica in the data directory as an example.
a_replica() {
  local replica
  for replica in "$data"/disks/*/replicas/*; do
    if [ -e "$replica" ]; then
      printf '%q\n' "$replica"
      return
    fi
  done
  echo DISK/replicas/REPLICA
}
