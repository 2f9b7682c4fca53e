package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.engine.export.ExportHost;
import dev.holdfast.engine.export.ExportKey;
import dev.holdfast.engine.spdk.internal.calls.KeyringNames;
import dev.holdfast.engine.spdk.internal.calls.SpdkKeyring;
import dev.holdfast.engine.spdk.internal.data.Identity;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Keys of the hosts of one export, in the keyring of the target. SPDK reads keys from files; these
 * are in a folder that only this account reads, and are removed with the export. A key has a name
 * that follows from its content, so that another key has another name.
 */
final class ExportKeys {
  private static final FileAttribute<Set<PosixFilePermission>> PRIVATE_FOLDER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final FileAttribute<Set<PosixFilePermission>> PRIVATE_FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final int OF_THE_EXPORT = 12;
  private static final int OF_THE_KEY = 16;

  private final SpdkKeyring keyring;
  private final Path folder;
  private final String prefix;

  /**
   * Creates the keys of an export.
   *
   * @param folder for the files; is made when it is missing
   * @param nqn name of the subsystem
   */
  ExportKeys(SpdkKeyring keyring, Path folder, String nqn) {
    this.keyring = keyring;
    this.folder = folder;
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
    keyring.add(name, written(name, secret));
    return name;
  }

  private Path written(String name, String secret) throws StorageException {
    Path file = folder.resolve(name);
    try {
      Files.createDirectories(folder.toAbsolutePath().getParent());
      if (!Files.exists(folder)) {
        Files.createDirectory(folder, PRIVATE_FOLDER);
      }
      Files.deleteIfExists(file);
      Files.createFile(file, PRIVATE_FILE);
      Files.write(file, secret.getBytes(StandardCharsets.UTF_8));
      return file;
    } catch (IOException e) {
      throw StorageException.io("key file " + file, e);
    }
  }

  /** Removes the keys of the export that no host has any more. */
  void removeOthers(Iterable<KeyringNames> used) throws StorageException {
    Set<String> kept = new HashSet<>();
    used.forEach(keys -> kept.addAll(keys.names()));
    for (String name : keyring.names()) {
      if (name.startsWith(prefix) && !kept.contains(name)) {
        keyring.remove(name);
        delete(name);
      }
    }
  }

  private void delete(String name) throws StorageException {
    try {
      Files.deleteIfExists(folder.resolve(name));
    } catch (IOException e) {
      throw StorageException.io("key file " + folder.resolve(name), e);
    }
  }
}
