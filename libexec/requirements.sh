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
  # Builds the web page. The Node that it runs comes with the packages of the page.
  echo npm npm
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

# What a node needs to serve shares. `up` does not install it: a share tells what is missing.
share_requirements() {
  cat <<'LIST'
ganesha.nfsd nfs-ganesha
dbus-daemon dbus-daemon
dbus-send dbus-bin
ip iproute2
ss iproute2
arping iputils-arping
LIST
  echo "/usr/lib/$(uname -m)-linux-gnu/ganesha/libfsalvfs.so" nfs-ganesha-vfs
}

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

# A service installs nothing: its unit sets HOLDFAST_INSTALL=no.
may_install() {
  [ "${HOLDFAST_INSTALL:-yes}" != no ] && command -v apt-get > /dev/null &&
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

# The packages of NFS-Ganesha start a server without exports on all addresses, and rpcbind; that of
# Prometheus starts a server on all addresses; those of lock daemons start daemons with a watchdog.
apt_install() {
  case " $* " in
    *" nfs-ganesha"* | *" prometheus "* | *" sanlock "* | *" lvm2-lockd "*) without_services apt_install_now "$@" ;;
    *) apt_install_now "$@" ;;
  esac
}

# Runs a command while the packages that it installs start no services.
without_services() {
  local policy=/usr/sbin/policy-rc.d status=0
  if [ -d /run/systemd/system ]; then
    as_root systemctl mask --quiet nfs-ganesha nfs-ganesha-lock rpcbind.socket rpcbind prometheus \
      sanlock wdmd lvmlockd lvmlocks || return 1
  fi
  if [ -e "$policy" ]; then
    "$@"
    return
  fi
  printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" > /dev/null || return 1
  as_root chmod 755 "$policy"
  "$@" || status=$?
  as_root rm -f "$policy"
  return "$status"
}

apt_install_now() {
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
