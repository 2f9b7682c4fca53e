# shellcheck shell=bash
# Which programs must be there, and their Debian packages.

# PROGRAM PACKAGE; a name with a slash is a file.
run_requirements() {
  cat <<'LIST'
curl curl
setsid util-linux
flock util-linux
LIST
}

build_requirements() {
  echo mvn maven
  has_java jdk || echo javac-17 openjdk-17-jdk-headless
}

java_requirements() { has_java jre || echo java-17 openjdk-17-jre-headless; }

# What the README shows first, and what `holdfast mount` uses. A node runs without them.
client_requirements() {
  cat <<'LIST'
nbdinfo libnbd-bin
file file
qemu-img qemu-utils
qemu-storage-daemon qemu-system-common
fusermount3 fuse3
mkfs.ext4 e2fsprogs
kubectl kubernetes-client
LIST
}

test_requirements() {
  client_requirements
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
LIST
  echo "/usr/lib/$(uname -m)-linux-gnu/qemu/block-iscsi.so" qemu-block-extra
}

lint_requirements() { echo shellcheck shellcheck; }

vm_requirements() {
  cat <<'LIST'
busybox busybox-static
cpio cpio
modprobe kmod
LIST
}

uml_requirements() {
  echo /usr/bin/slirp-fullbolt slirp
  ! needs_xstate_library || xstate_requirements
}

xstate_requirements() {
  echo gcc gcc
  echo /usr/include/elf.h libc6-dev
}

# Whether user-mode Linux needs the library vm-xstate.c, which says why.
needs_xstate_library() {
  case ${HOLDFAST_VM_XSTATE:-auto} in
    yes) return 0 ;;
    no) return 1 ;;
    *) grep -qsw amx_tile /proc/cpuinfo ;;
  esac
}

qemu_requirements() {
  cat <<'LIST'
qemu-system-x86_64 qemu-system-x86
xz xz-utils
LIST
}
newer_kernel_requirements() { echo zstd zstd; }

# What libexec/kube-tools builds for a sandbox.
readonly sandbox_programs='etcd kube-apiserver kube-controller-manager kube-scheduler kubelet
  csi-provisioner csi-attacher csi-resizer csi-snapshotter snapshot-controller'

# What runs pods, and what images are made of.
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

missing_packages() { # reads PROGRAM PACKAGE lines
  local program package
  while read -r program package; do
    case $program in
      /*) [ -e "$program" ] || printf '%s\n' "$package" ;;
      *) command -v "$program" > /dev/null ||
        [ -x "/usr/sbin/$program" ] || printf '%s\n' "$package" ;;
    esac
  done | sort -u
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

may_install() {
  command -v apt-get > /dev/null &&
    { [ "$(id -u)" = 0 ] || sudo -n true 2> /dev/null; }
}

# Installs PACKAGE...; says what to do where it cannot.
install_packages() {
  [ $# -gt 0 ] || return 0
  if ! may_install; then
    printf 'holdfast: missing packages: %s. As root: apt-get install %s\n' "$*" "$*" >&2
    return 1
  fi
  say "Installing $*" >&2
  local messages
  # A fresh machine has no package lists: only a failure with new ones is worth its messages.
  apt_install "$@" > /dev/null 2>&1 && return 0
  messages=$({ as_root apt-get -qq update && apt_install "$@"; } 2>&1) && return 0
  printf '%s\nholdfast: cannot install %s\n' "$messages" "$*" >&2
  return 1
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends \
    -o Dpkg::Use-Pty=0 install "$@" < /dev/null
}

# Everything that LIST names, or the end.
require() { # LIST-FUNCTION...
  local packages list
  packages=$(for list in "$@"; do "$list"; done | missing_packages)
  # shellcheck disable=SC2086 # one package per word
  install_packages $packages || exit 1
}

# What LIST names as far as it can be had: the rest is a note, not an end.
offer() { # LIST-FUNCTION...
  local packages list
  packages=$(for list in "$@"; do "$list"; done | missing_packages)
  [ -n "$packages" ] || return 0
  # shellcheck disable=SC2086 # one package per word
  (install_packages $packages) ||
    say "The node runs without them; some of the commands below need them." >&2
}

# --- Java 17: Karaf's shell does not run on later ones --------------------------------

java_home_is_17() { grep -qs '^JAVA_VERSION="17[."]' "$1/release"; }

# Prints the home of a Java 17, if there is one.
java_home() {
  local home
  for home in "${JAVA_HOME:-}" /usr/lib/jvm/java-17-openjdk-* /usr/lib/jvm/*17*; do
    if [ -n "$home" ] && [ -x "$home/bin/java" ] && java_home_is_17 "$home"; then
      printf '%s\n' "$home"
      return 0
    fi
  done
  home=$(command -v java) || return 1
  home=$(dirname "$(dirname "$(readlink -f "$home")")")
  java_home_is_17 "$home" && printf '%s\n' "$home"
}

has_java() { # jdk|jre
  local home
  home=$(java_home) && { [ "$1" = jre ] || [ -x "$home/bin/javac" ]; }
}

require_java() { # jdk|jre
  local home
  if ! has_java "$1"; then
    install_packages "openjdk-17-$1-headless" || exit 1
  fi
  home=$(java_home) || fail "no Java 17 found; install openjdk-17-$1-headless or set JAVA_HOME to one"
  JAVA_HOME=$home
  export JAVA_HOME
}

# --- tools that are Go modules: built once, kept for this user ------------------------

readonly newer_go_version=1.26.1

# Prints where the program of a Go module is, at exactly this version.
go_tool() { # PACKAGE VERSION LEAST-GO
  local folder program
  folder=${XDG_CACHE_HOME:-$HOME/.cache}/holdfast/tools/$(basename "$1")-$2
  program=$folder/$(basename "$1")
  if [ ! -x "$program" ]; then
    require_go "$3"
    say "Building $(basename "$1") $2" >&2
    mkdir -p "$folder"
    # Beside its place, and then moved there: a build that is broken off leaves nothing.
    GOBIN="$folder/new" CGO_ENABLED=0 go install "$1@$2" >&2 || fail "cannot build $1@$2"
    mv "$folder/new/$(basename "$1")" "$program"
    rmdir "$folder/new"
  fi
  printf '%s\n' "$program"
}

# Prints where a program is that a module of this tree pins with all that it needs.
go_program() { # MODULE-FOLDER PACKAGE NAME VERSION LEAST-GO [LINKER-FLAGS]
  local folder program
  folder=${XDG_CACHE_HOME:-$HOME/.cache}/holdfast/tools/$3-$4
  program=$folder/$3
  if [ ! -x "$program" ]; then
    [ -z "${HOLDFAST_BUILD_NO_TOOLS:-}" ] || fail "$3 $4 is not built yet"
    require_go "$5"
    say "Building $3 $4" >&2
    mkdir -p "$folder"
    # In the module's folder, because its replacements count only there.
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

# Debian 12's Go is too old for some tools, and old enough not to fetch a newer one by itself: that
# is a module like any other.
newer_go() {
  local folder module
  folder=${XDG_CACHE_HOME:-$HOME/.cache}/holdfast/tools/go-$newer_go_version
  if [ ! -x "$folder/bin/go" ]; then
    say "Fetching Go $newer_go_version" >&2
    module=golang.org/toolchain@v0.0.1-go$newer_go_version.linux-$(go env GOARCH)
    rm -rf "$folder.new"
    # The module cache of its own is the folder's beginning: nothing is left of it elsewhere.
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
