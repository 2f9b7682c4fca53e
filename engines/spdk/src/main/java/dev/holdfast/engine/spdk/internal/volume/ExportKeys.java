package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.engine.export.ExportHost;
import dev.holdfast.engine.export.ExportKey;
import dev.holdfast.engine.spdk.internal.calls.KeyFiles;
import dev.holdfast.engine.spdk.internal.calls.KeyringNames;
import dev.holdfast.engine.spdk.internal.data.Identity;
import dev.holdfast.error.StorageException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Keys of the hosts of one export, in the keyring of the target. They are removed with the export.
 * A key has a name that follows from its content, so that another key has another name.
 */
final class ExportKeys {
  private static final int OF_THE_EXPORT = 12;
  private static final int OF_THE_KEY = 16;

  private final KeyFiles files;
  private final String prefix;

  /**
   * Creates the keys of an export.
   *
   * @param files of the target
   * @param nqn name of the subsystem
   */
  ExportKeys(KeyFiles files, String nqn) {
    this.files = files;
    this.prefix = "hf-" + Identity.digits(nqn, OF_THE_EXPORT) + "-";
  }

  /** Gives the target the keys of a host. Succeeds when it has them. */
  KeyringNames add(String nqn, ExportHost host) throws StorageException {
    return new KeyringNames(
        add(nqn, "host", host.hostKey()),
        add(nqn, "controller", host.controllerKey()),
        add(nqn, "tls", host.tlsKey()));
  }

  private String add(String host, String kind, Optional<ExportKey> key) throws StorageException {
    if (key.isEmpty()) {
      return "";
    }
    String secret = key.get().secret();
    String name = prefix + Identity.digits(host + " " + kind + " " + secret, OF_THE_KEY);
    files.add(name, secret);
    return name;
  }

  /** Removes the keys of the export that no host has any more. */
  void removeOthers(Iterable<KeyringNames> used) throws StorageException {
    Set<String> kept = new HashSet<>();
    used.forEach(keys -> kept.addAll(keys.names()));
    for (String name : files.names()) {
      if (name.startsWith(prefix) && !kept.contains(name)) {
        files.remove(name);
      }
    }
  }
}
