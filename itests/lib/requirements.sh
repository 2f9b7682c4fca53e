# shellcheck shell=bash
# Lists the programs that the tests need in addition to those of libexec/requirements.sh, with their
# Debian packages.

test_requirements() {
  client_requirements
  share_requirements
  cat <<'LIST'
/usr/lib/python3/dist-packages/nbd.py python3-libnbd
nbdkit nbdkit
fio fio
git git
jq jq
zstd zstd
openssl openssl
nvme nvme-cli
iscsi-test-cu libiscsi-bin
iscsiadm open-iscsi
multipathd multipath-tools
sg_persist sg3-utils
socat socat
ip iproute2
ss iproute2
mkfs.xfs xfsprogs
cryptsetup cryptsetup-bin
dmsetup dmsetup
lvcreate lvm2
thin_delta thin-provisioning-tools
lvmlockd lvm2-lockd
sanlock sanlock
nfs-cp libnfs-utils
promtool prometheus
/lib/systemd/systemd systemd
/usr/bin/chromium chromium
nginx nginx-light
h2load nghttp2-client
LIST
  echo "/usr/lib/$(uname -m)-linux-gnu/qemu/block-iscsi.so" qemu-block-extra
}

lint_requirements() { echo shellcheck shellcheck; }

# Programs that itests/lib/kube-tools builds for a sandbox.
readonly sandbox_programs='etcd kube-apiserver kube-controller-manager kube-scheduler kubelet
  csi-provisioner csi-attacher csi-resizer csi-snapshotter snapshot-controller'

# Programs that run pods, and programs from which images are made.
sandbox_requirements() {
  cat <<'LIST'
containerd containerd
ctr containerd
runc runc
/usr/lib/cni/bridge containernetworking-plugins
busybox busybox-static
mkfs.xfs xfsprogs
cryptsetup cryptsetup-bin
ip iproute2
sysctl procps
pkill procps
openssl openssl
LIST
}

# --- tools that are Go modules: built once and cached for this user -------------------

readonly newer_go_version=1.26.1

# Prints the path of a Go module's program at exactly this version.
go_tool() { # PACKAGE VERSION LEAST-GO
  local folder program
  folder=${XDG_CACHE_HOME:-$HOME/.cache}/holdfast/tools/$(basename "$1")-$2
  program=$folder/$(basename "$1")
  if [ ! -x "$program" ]; then
    require_go "$3"
    say "Building $(basename "$1") $2" >&2
    mkdir -p "$folder"
    # Build into a temporary folder and rename the result, so that an interrupted build leaves no
    # partial program.
    GOBIN="$folder/new" CGO_ENABLED=0 go install "$1@$2" >&2 || fail "cannot build $1@$2"
    mv "$folder/new/$(basename "$1")" "$program"
    rmdir "$folder/new"
  fi
  printf '%s\n' "$program"
}

# Prints the path of a program. A module of this tree pins its version and its dependencies.
go_program() { # MODULE-FOLDER PACKAGE NAME VERSION LEAST-GO [LINKER-FLAGS]
  local folder program
  folder=${XDG_CACHE_HOME:-$HOME/.cache}/holdfast/tools/$3-$4
  program=$folder/$3
  if [ ! -x "$program" ]; then
    [ -z "${HOLDFAST_BUILD_NO_TOOLS:-}" ] || fail "$3 $4 is not built yet"
    require_go "$5"
    say "Building $3 $4" >&2
    mkdir -p "$folder"
    # Build in the module's folder, because its replace directives apply only there.
    (cd "$1" && CGO_ENABLED=0 go build -mod=readonly -trimpath -ldflags "-s -w ${6:-}" \
      -o "$program.new" "$2") >&2 || fail "cannot build $3 $4"
    mv "$program.new" "$program"
  fi
  printf '%s\n' "$program"
}

require_go() { # LEAST
  has_go "$1" || command -v go > /dev/null || install_packages golang-go || exit 1
  has_go "$1" || newer_go
  has_go "$1" || fail "Go $1 or later is needed"
}

# Fetches a newer Go as a module. Debian 12's Go is too old for some tools and cannot fetch a newer
# version itself.
newer_go() {
  local folder module
  folder=${XDG_CACHE_HOME:-$HOME/.cache}/holdfast/tools/go-$newer_go_version
  if [ ! -x "$folder/bin/go" ]; then
    say "Fetching Go $newer_go_version" >&2
    module=golang.org/toolchain@v0.0.1-go$newer_go_version.linux-$(go env GOARCH)
    rm -rf "$folder.new"
    # Use a separate module cache inside the new folder, so that no files remain elsewhere.
    GOFLAGS=-modcacherw GOMODCACHE=$folder.new/modules go mod download "$module" >&2 ||
      fail "cannot fetch Go $newer_go_version"
    chmod -R u+w "$folder.new"
    chmod +x "$folder.new/modules/$module"/{bin,pkg/tool/*}/*
    rm -rf "$folder"
    mv "$folder.new/modules/$module" "$folder"
    rm -rf "$folder.new"
  fi
  export PATH="$folder/bin:$PATH" GOROOT="$folder"
}

has_go() { # LEAST
  local version
  version=$(go env GOVERSION 2> /dev/null) || return 1
  [ "$(printf '%s\n' "$1" "${version#go}" | sort -V | head -n 1)" = "$1" ]
}

# --- Python packages without dependencies: installed once and cached for this user ------

# Prints the folder of a package at exactly this version and content.
python_package() { # NAME VERSION SHA256-OF-THE-WHEEL
  local folder
  folder=${XDG_CACHE_HOME:-$HOME/.cache}/holdfast/tools/python-$1-$2
  if [ ! -d "$folder" ]; then
    [ -z "${HOLDFAST_BUILD_NO_TOOLS:-}" ] || fail "$1 $2 is not installed yet"
    python3 -m pip --version > /dev/null 2>&1 || install_packages python3-pip || exit 1
    say "Installing $1 $2" >&2
    mkdir -p "$(dirname "$folder")"
    rm -rf "$folder.new"
    printf '%s==%s --hash=sha256:%s\n' "$1" "$2" "$3" > "$folder.txt"
    # Install into a temporary folder and rename it, so that an interrupted installation leaves no
    # partial result.
    python3 -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
      --require-hashes --target "$folder.new" -r "$folder.txt" >&2 || fail "cannot install $1 $2"
    mv "$folder.new" "$folder"
    rm "$folder.txt"
  fi
  printf '%s\n' "$folder"
}
