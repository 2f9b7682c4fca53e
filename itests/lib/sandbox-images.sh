# shellcheck shell=bash
# Builds the images of a sandbox from programs of this machine and downloads nothing. The images are
# unpacked once for each build of this tree. Each node's containerd starts with hard links to that
# copy, because no process writes to an image.
#
#   TREE/.cache/sandbox-images/containerd    the root of a containerd that only imports
#   DATA/node-N/var/lib/containerd           the initial state of a node

readonly sidecars='csi-provisioner csi-attacher csi-resizer csi-snapshotter'
readonly images=$HOLDFAST_HOME/.cache/sandbox-images

# Prints the snapshotter. If an overlay cannot be mounted, for example on another overlay, each
# container gets a copy of its image. A volatile overlay is unmounted without waiting for other
# pending writes of this machine.
snapshotter() {
  local folder=$data/overlay
  if [ ! -e "$data/snapshotter" ]; then
    mkdir -p "$folder"/{lower,upper,work,merged}
    if mount -t overlay none "$folder/merged" 2> /dev/null \
      -o "volatile,lowerdir=$folder/lower,upperdir=$folder/upper,workdir=$folder/work"; then
      umount "$folder/merged"
      echo overlayfs > "$data/snapshotter"
    else
      echo native > "$data/snapshotter"
    fi
  fi
  cat "$data/snapshotter"
}

# Gives every node its images. Rebuilds them first if their sources have changed.
prepare_images() {
  local n stamp
  mkdir -p "$images"
  exec 8>> "$images/lock"
  flock 8
  stamp=$(images_stamp)
  if [ "$(cat "$images/stamp" 2> /dev/null)" != "$stamp" ]; then
    find "$images" -mindepth 1 -maxdepth 1 ! -name lock -exec rm -rf {} +
    make_images 8>&- || return
    printf '%s\n' "$stamp" > "$images/stamp"
  fi
  for ((n = 1; n <= nodes; n++)); do
    give_images "$n" || return
  done
  exec 8>&-
}

images_stamp() {
  local packages
  packages=$("$HOLDFAST_HOME/deploy/image/build" --packages)
  {
    snapshotter
    distribution_stamp "$(distribution)"
    # shellcheck disable=SC2086 # one package per word
    dpkg-query -W $packages busybox-static
    cat "$HOLDFAST_HOME"/deploy/image/build "$HOLDFAST_HOME"/itests/lib/{sandbox-images.sh,kube-tools}
  } | cksum
}

make_images() {
  start_import || return
  small_images "$images/small.tar" && import "$images/small.tar" || return
  "$HOLDFAST_HOME/deploy/image/build" "$images/holdfast.tar" && import "$images/holdfast.tar" || return
  rm "$images"/*.tar
  kill "$(cat "$data/import.pid")"
  wait "$(cat "$data/import.pid")" || true
}

# Starts a containerd for the import. Its socket is in the data directory, because the path must be
# short.
start_import() {
  cat > "$data/import.toml" <<CONFIG
version = 2
disabled_plugins = ["io.containerd.grpc.v1.cri"]
root = "$images/containerd"
state = "$data/import"
[grpc]
  address = "$data/import.sock"
CONFIG
  start import containerd --config "$data/import.toml"
  await 60 "containerd answers" ctr --address "$data/import.sock" version
}

import() { # FILE
  ctr --address "$data/import.sock" --namespace k8s.io images import --snapshotter "$(snapshotter)" "$1"
}

# Gives a node its images. Database files are copied instead of linked, because the node's
# containerd writes to them.
give_images() { # N
  local target=$data/node-$1/var/lib/containerd file
  mkdir -p "$(dirname "$target")"
  if ! cp -al "$images/containerd" "$target" 2> /dev/null; then
    rm -rf "$target"
    cp -a "$images/containerd" "$target" || return
  fi
  find "$target" -maxdepth 2 -name '*.db' | while IFS= read -r file; do
    cp "$file" "$file.own" && mv "$file.own" "$file" || return
  done
}

# Packs busybox, the pause image and the sidecars. The pause image holds a pod's namespaces; it is
# busybox with another command. The sidecars have the names that the manifests use.
small_images() { # FILE
  local work=$images/small name
  mkdir -p "$work/busybox"/{bin,tmp,etc,proc,sys,dev}
  cp "$(command -v busybox)" "$work/busybox/bin/busybox" || return
  for name in $(busybox --list); do
    [ "$name" = busybox ] || ln -s busybox "$work/busybox/bin/$name"
  done
  {
    printf '['
    image "$work" busybox localhost/busybox:1 '"Cmd": ["sh"]'
    printf ','
    image "$work" busybox localhost/pause:1 '"Cmd": ["sleep", "infinity"]'
    for name in $sidecars; do
      mkdir -p "$work/$name/tmp"
      cp "$data/bin/$name" "$work/$name/$name" || return
      printf ','
      image "$work" "$name" "$(manifest_image "$name")" "\"Entrypoint\": [\"/$name\"]"
    done
    printf ']'
  } > "$work/manifest.json"
  (cd "$work" && tar -cf "$1" manifest.json ./*.config ./*.layer) && rm -rf "$work"
}

manifest_image() { # NAME
  sed -n "s|^ *image: \"\(.*/$1:.*\)\"|\1|p" "$HOLDFAST_HOME/deploy/manifests/holdfast.yaml" | head -n 1
}

# Packs a folder as an image. Prints its entry in the manifest of the docker archive.
image() { # WORK FOLDER TAG COMMAND
  local digest config=${3//[^a-z0-9]/-}.config
  [ -e "$1/$2.layer" ] || tar -C "$1/$2" --owner=0 --group=0 -cf "$1/$2.layer" . || return
  digest=$(sha256sum "$1/$2.layer" | cut -d' ' -f1)
  printf '{"architecture": "%s", "os": "linux", "config": {"Env": ["PATH=/bin"], %s},
    "rootfs": {"type": "layers", "diff_ids": ["sha256:%s"]}}\n' \
    "$(dpkg --print-architecture)" "$4" "$digest" > "$1/$config"
  printf '{"Config": "%s", "RepoTags": ["%s"], "Layers": ["%s.layer"]}' "$config" "$3" "$2"
}
