#!/bin/bash
# Prepares a virtual machine as a node of a shared group: LVM's settings for the disks of user-mode
# Linux, and programs in place of apt-get and systemctl, which work without packages and systemd.
set -eu
mkdir -p /run/lvm-etc /run/lvm
mount --bind /run/lvm-etc /etc/lvm
cat > /etc/lvm/lvm.conf <<'CONF'
devices { types = [ "ubd", 16 ] use_devicesfile = 0 filter = [ "a|^/dev/ubd.*|", "r|.*|" ] }
activation { monitoring = 0 verify_udev_operations = 1 thin_pool_autoextend_threshold = 80 }
CONF

cat > /usr/local/sbin/apt-get <<'PROGRAM'
#!/bin/sh
test "$1" = install && shift && exec dpkg-query --show "$@"
PROGRAM

cat > /usr/local/sbin/systemctl <<'PROGRAM'
#!/bin/sh
test "$1" = enable && shift || exit 1
test "$1" = --now && shift || exec test -e "/lib/systemd/system/$1.service"
for unit; do
  case $unit in
    sanlock) sanlock daemon -w 0 -U root -G root ;;
    lvmlockd) lvmlockd -g sanlock -o 2 ;;
    *) exit 1 ;;
  esac || exit 1
done
i=0
until lvmlockctl --info > /dev/null 2>&1; do
  i=$((i + 1))
  test $i -lt 100 || exit 1
  sleep 0.1
done
PROGRAM
chmod +x /usr/local/sbin/apt-get /usr/local/sbin/systemctl
