# shellcheck shell=bash
# Lists required programs with their Debian packages, and installs missing packages.

# Each line is PROGRAM PACKAGE. A name that starts with a slash is a file.
run_requirements() {
  cat <<'LIST'
curl curl
setsid util-linux
flock util-linux
LIST
}

build_requirements() {
  echo mvn maven
  # npm builds the web page. The Node.js that it runs is one of the page's npm packages.
  echo npm npm
  has_java jdk || echo javac-17 openjdk-17-jdk-headless
}

java_requirements() { has_java jre || echo java-17 openjdk-17-jre-headless; }

# Programs of the first examples in the README and of `holdfast mount`. A node runs without them.
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

# Programs that a node needs to serve shares. `up` does not install them; a share reports which one
# is missing.
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

# True when user-mode Linux needs the library of vm-xstate.c. That file gives the reason.
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

# True when packages may be installed. The unit of the service forbids it by HOLDFAST_INSTALL=no.
may_install() {
  [ "${HOLDFAST_INSTALL:-yes}" != no ] && command -v apt-get > /dev/null &&
    { [ "$(id -u)" = 0 ] || sudo -n true 2> /dev/null; }
}

# Installs PACKAGE... If this user may not install, prints the command for an administrator.
install_packages() {
  [ $# -gt 0 ] || return 0
  if ! may_install; then
    printf 'holdfast: missing packages: %s. As root: apt-get install %s\n' "$*" "$*" >&2
    return 1
  fi
  say "Installing $*" >&2
  local messages
  # A fresh machine has no package lists. Print messages only if the installation fails with new
  # lists.
  apt_install "$@" > /dev/null 2>&1 && return 0
  messages=$({ as_root apt-get -qq update && apt_install "$@"; } 2>&1) && return 0
  printf '%s\nholdfast: cannot install %s\n' "$messages" "$*" >&2
  return 1
}

# Installs packages without starting their services. The packages of NFS-Ganesha start rpcbind and a
# server without exports on all addresses. The package of Prometheus starts a server on all
# addresses. The packages of lock managers start daemons with a watchdog.
apt_install() {
  case " $* " in
    *" nfs-ganesha"* | *" prometheus "* | *" sanlock "* | *" lvm2-lockd "*) without_services apt_install_now "$@" ;;
    *) apt_install_now "$@" ;;
  esac
}

# Runs a command that installs packages, and prevents the start of their services.
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

# Installs the missing packages of each LIST. Ends the command if that fails.
require() { # LIST-FUNCTION...
  local packages list
  packages=$(for list in "$@"; do "$list"; done | missing_packages)
  # shellcheck disable=SC2086 # one package per word
  install_packages $packages || exit 1
}

# Installs the missing packages of each LIST. If that fails, prints a note and continues.
offer() { # LIST-FUNCTION...
  local packages list
  packages=$(for list in "$@"; do "$list"; done | missing_packages)
  [ -n "$packages" ] || return 0
  # shellcheck disable=SC2086 # one package per word
  (install_packages $packages) ||
    say "The node runs without them; some of the commands below need them." >&2
}

# --- Java 17: Karaf's shell does not run on later versions ----------------------------

java_home_is_17() { grep -qs '^JAVA_VERSION="17[."]' "$1/release"; }

# Prints the home of an installed Java 17.
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
