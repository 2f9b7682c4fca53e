# shellcheck shell=bash
# Prepares a Karaf instance below the data directory. The distribution stays read-only, and several
# nodes can run from it:
#
#   DATA/karaf/etc       the configuration; a file that the user changed is kept
#   DATA/karaf/pristine  the configuration as delivered with the distribution
#   DATA/karaf/data      Karaf's bundle cache, recreated for each distribution
#   DATA/karaf/stamp     identifies the distribution from which the cache was made

# Files that select the bundles of the node. They are always copied from the distribution.
readonly versioned='startup.properties config.properties jre.properties system.properties
  org.apache.karaf.features.cfg org.apache.karaf.features.xml org.apache.karaf.features.repos.cfg
  distribution.info profile.cfg'

distribution_stamp() { # DISTRIBUTION
  (cd "$1" && find etc system lib/boot -type f -printf '%P %s %T@\n' | sort | cksum)
}

prepare_instance() { # DISTRIBUTION
  local stamp instance=$data/karaf
  stamp=$(distribution_stamp "$1")
  if [ ! -e "$instance/stamp" ] || [ "$(cat "$instance/stamp")" != "$stamp" ]; then
    rm -rf "$instance/data" "$instance/stamp"
    # Restore the delivered layout, so that the log format does not count as a change by the user.
    format_log text "$instance/etc"
    refresh_configuration "$1/etc" "$instance/etc" "$instance/pristine"
    printf '%s\n' "$stamp" > "$instance/stamp"
  fi
  mkdir -p "$instance/data/tmp" "$instance/instances" "$instance/deploy" "$data/log"
  format_log "${setting[log_format]}" "$instance/etc"
  shell_user "$instance/etc/users.properties"
}

# Sets the layout of the log to text or JSON. A layout that the user changed stays.
format_log() { # text|json ETC
  local file=$2/org.ops4j.pax.logging.cfg name edits=()
  local json='JsonTemplateLayout' text='PatternLayout'
  [ -e "$file" ] || return 0
  for name in console file; do
    local layout=log4j2.appender.$name.layout
    local template="$layout.eventTemplateUri = \${holdfast.log.template}"
    local pattern="$layout.pattern = \${log4j2.pattern}"
    if [ "$1" = json ]; then
      edits+=(-e "s|^$layout.type = $text\$|$layout.type = $json|")
      edits+=(-e "s|^${pattern//\$/\\$}\$|$template|")
    else
      edits+=(-e "s|^$layout.type = $json\$|$layout.type = $text|")
      edits+=(-e "s|^${template//\$/\\$}\$|$pattern|")
    fi
  done
  sed "${edits[@]}" "$file" > "$file.new"
  if cmp -s "$file" "$file.new"; then
    rm "$file.new"
  else
    mv "$file.new" "$file"
  fi
}

refresh_configuration() { # FROM TO PRISTINE
  local name
  mkdir -p "$2" "$3"
  (cd "$1" && find . -type f -printf '%P\n') | while IFS= read -r name; do
    mkdir -p "$2/$(dirname "$name")" "$3/$(dirname "$name")"
    if is_versioned "$name" || [ ! -e "$2/$name" ] || cmp -s "$2/$name" "$3/$name"; then
      cp "$1/$name" "$2/$name"
    elif ! cmp -s "$1/$name" "$3/$name" && [ "$name" != users.properties ]; then
      say "Keeping your $2/$name; the distribution's new one is $3/$name"
    fi
    cp "$1/$name" "$3/$name"
  done
}

is_versioned() { # NAME
  local name
  for name in $versioned; do
    [ "$name" != "$1" ] || return 0
  done
  return 1
}

# Creates the only user of the shell with a random password. The shell listens on loopback only.
shell_user() { # FILE
  grep -qs '^karaf *=' "$1" && return 0
  local password
  password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  (
    umask 077
    printf 'karaf = %s,_g_:admingroup\n_g_\\:admingroup = group,admin,manager,viewer,systembundles,ssh\n' \
      "$password" > "$1.new"
  )
  mv "$1.new" "$1"
}

# Sets java_command to the complete command line of the node.
node_command() { # DISTRIBUTION
  local home=$1 instance=$data/karaf jar classpath= etc
  # Percent signs and blanks must be escaped in a URI.
  etc=${instance//%/%25}/etc
  for jar in "$home"/lib/jdk9plus/*.jar "$home"/lib/boot/*.jar; do
    classpath+=${classpath:+:}$jar
  done
  java_command=("$JAVA_HOME/bin/java"
    -Xms64m -Xmx512m -XX:MaxDirectMemorySize=512m -XX:MetaspaceSize=300m -Xshare:auto
    -XX:+ExitOnOutOfMemoryError "-XX:ErrorFile=$data/log/java-crash-%p.log")
  module_options "$home"
  java_command+=(
    "-Dkaraf.home=$home" "-Dkaraf.base=$instance" "-Dkaraf.data=$instance/data"
    "-Dkaraf.etc=$instance/etc" "-Dholdfast.log.template=file:${etc// /%20}/holdfast-log.template"
    "-Dkaraf.log=$data/log" "-Dkaraf.instances=$instance/instances"
    -Dkaraf.startLocalConsole=false -Dkaraf.startRemoteShell=true
    "-Djava.io.tmpdir=$instance/data/tmp"
    # A component that waits for another node's store delays other components. With the default
    # limit of 5 s, these would give up and never start.
    -Dds.lock.timeout.milliseconds=120000
    # With one thread, Java's asynchronous channels sometimes leave an event in their queue until
    # the next one arrives. Karaf's SSH server then stops accepting connections.
    -Dsun.nio.ch.internalThreadPoolSize=2
    "-Djava.util.logging.config.file=$instance/etc/java.util.logging.properties"
    "-Dholdfast.data=$data" "-Dholdfast.node.name=${setting[name]}"
    "-Dholdfast.address=${setting[address]}"
    "-Dholdfast.advertised.address=${setting[advertised_address]:-${setting[address]}}"
    "-Dholdfast.api.port=${setting[api_port]}" "-Dholdfast.rpc.port=${setting[rpc_port]}"
    "-Dholdfast.nbd.port=${setting[nbd_port]}" "-Dholdfast.iscsi.port=${setting[iscsi_port]}"
    "-Dholdfast.nvmeof.port=${setting[nvmeof_port]}"
    "-Dholdfast.replica.port=${setting[replica_port]}"
    "-Dholdfast.frontend.authentication=${setting[frontend_authentication]}"
    "-Dholdfast.ssh.address=$(ssh_address)" "-Dholdfast.ssh.port=${setting[ssh_port]}"
    "-Dholdfast.default.disks=${setting[disks]}" "-Dholdfast.store=$(store_kind)"
    "-Dholdfast.kubernetes.kubeconfig=${setting[kubeconfig]}"
    "-Dholdfast.kubernetes.namespace=${setting[namespace]}"
    "-Dholdfast.etcd.endpoints=${setting[endpoints]}" "-Dholdfast.etcd.ca=${setting[etcd_ca]}"
    "-Dholdfast.etcd.cert=${setting[etcd_cert]}" "-Dholdfast.etcd.key=${setting[etcd_key]}"
    "-Dholdfast.etcd.user=${setting[etcd_user]}"
    "-Dholdfast.etcd.password.file=${setting[etcd_password_file]}"
    "-Dholdfast.csi.socket=${setting[csi]}" "-Dholdfast.csi.registration=${setting[csi_registration]}"
    "-Dholdfast.csi.max.volumes=${setting[csi_max_volumes]}")
  [ -z "${empty_store:-}" ] || java_command+=("-Dholdfast.store.empty=$empty_store")
  # Java accepts only one option for a collector, so HOLDFAST_JAVA_OPTS takes precedence. Without
  # MaxNewSize, this collector uses a third of the heap for new objects and never returns it.
  [[ ${HOLDFAST_JAVA_OPTS:-} == *-XX:+Use*GC* ]] ||
    java_command+=(-XX:+UseParallelGC -XX:MaxNewSize=48m)
  trim_native_memory
  # shellcheck disable=SC2206 # options for the JVM, separated by spaces
  java_command+=(${HOLDFAST_JAVA_OPTS:-})
  java_command+=(-classpath "$classpath" org.apache.karaf.main.Main)
}

# Limits native memory. By default, glibc's malloc gives threads separate arenas of 64 MiB, which
# keep freed memory. The option makes Java return that memory. It is tested first, because a Java
# without the option refuses to start with it.
trim_native_memory() {
  export MALLOC_ARENA_MAX=${MALLOC_ARENA_MAX:-2}
  local option=-XX:TrimNativeHeapInterval=30000
  ! "$JAVA_HOME/bin/java" "$option" -Xshare:auto -version > /dev/null 2>&1 ||
    java_command+=("$option")
}

# Prints the kind of the node's store. A node that joined a cluster has no store of its own, unless
# its settings name a shared one.
store_kind() {
  if [ -n "${setting[store]}" ]; then
    printf '%s\n' "${setting[store]}"
  elif has_joined; then
    echo remote
  else
    echo embedded
  fi
}

# Prints the address of the Karaf shell. It is a loopback address even when other services use
# another one.
ssh_address() {
  case ${setting[address]} in
    127.*) printf '%s\n' "${setting[address]}" ;;
    *) echo 127.0.0.1 ;;
  esac
}

# Adds the options for Java modules from Karaf's own start script.
module_options() { # DISTRIBUTION
  local package jar
  java_command+=(--add-reads=java.xml=java.logging
    "--add-exports=java.base/org.apache.karaf.specs.locator=java.xml,ALL-UNNAMED")
  for jar in "$1"/lib/endorsed/org.apache.karaf.specs.locator-*.jar; do
    java_command+=(--patch-module "java.base=$jar")
  done
  for jar in "$1"/lib/endorsed/org.apache.karaf.specs.java.xml-*.jar; do
    java_command+=(--patch-module "java.xml=$jar")
  done
  for package in java.base/java.security java.base/java.net java.base/java.lang \
    java.base/java.util java.naming/javax.naming.spi java.rmi/sun.rmi.transport.tcp; do
    java_command+=("--add-opens=$package=ALL-UNNAMED")
  done
  for package in java.base/sun.net.www.protocol.{file,ftp,http,https,jar} \
    java.base/sun.net.www.content.text jdk.xml.dom/org.w3c.dom.html \
    jdk.naming.rmi/com.sun.jndi.url.rmi java.rmi/sun.rmi.registry \
    java.security.sasl/com.sun.security.sasl java.naming/com.sun.jndi.ldap; do
    java_command+=("--add-exports=$package=ALL-UNNAMED")
  done
}
