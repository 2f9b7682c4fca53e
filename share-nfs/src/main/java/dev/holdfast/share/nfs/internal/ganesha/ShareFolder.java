package dev.holdfast.share.nfs.internal.ganesha;

import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * The folder of one share on the node that serves it.
 *
 * <pre>
 *   export/            the volume's filesystem, as clients see it
 *   recovery/          its folder .holdfast, which clients do not see
 *   ganesha.conf       the server and its export
 *   export.conf        the export alone, for changes
 *   bus.conf           the private D-Bus
 *   ganesha.pid
 * </pre>
 *
 * The socket of the bus is elsewhere, because the path of a socket has at most 107 bytes. The files
 * of the guard are beside it, in memory: a full or slow disk must not end servers.
 *
 * @param path of the folder
 * @param socket of the bus
 */
public record ShareFolder(Path path, Path socket) {
  private static final int NAME_BYTES = 8;

  /**
   * Returns the folder of a volume's share.
   *
   * @param root of all shares of this node
   * @param sockets folder of the sockets of all nodes on this machine
   */
  public static ShareFolder of(Path root, Path sockets, String volume) {
    Path path = root.resolve(volume);
    return new ShareFolder(path, sockets.resolve(shortName(path) + ".bus"));
  }

  private static String shortName(Path path) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(path.toAbsolutePath().toString().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, NAME_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** Returns where the volume's filesystem is mounted. */
  public Path export() {
    return path.resolve("export");
  }

  /** Returns the folder of the export that clients must not see. */
  public Path hidden() {
    return export().resolve(".holdfast");
  }

  /** Returns where that folder is mounted for the server. */
  public Path recovery() {
    return path.resolve("recovery");
  }

  /** Returns the file that the health check writes on the volume, with the clients as its text. */
  public Path probe() {
    return recovery().resolve("probe");
  }

  Path server() {
    return path.resolve("ganesha.conf");
  }

  Path exportText() {
    return path.resolve("export.conf");
  }

  Path nextExport() {
    return path.resolve("next.conf");
  }

  Path bus() {
    return path.resolve("bus.conf");
  }

  Path pid() {
    return path.resolve("ganesha.pid");
  }

  /** Returns the file that a living container writes; see {@link ServerLease}. */
  Path lease() {
    return beside(".lease");
  }

  /** Returns the file with the floating address, and with nothing for another address. */
  Path address() {
    return beside(".address");
  }

  private Path beside(String suffix) {
    String name = socket.getFileName().toString();
    return socket.resolveSibling(name.substring(0, name.lastIndexOf('.')) + suffix);
  }

  Path credentials() {
    return path.resolve("krb5");
  }

  /**
   * Creates the folder, its two mount points and the folder of sockets, for the administrator only.
   *
   * @throws StorageException IO
   */
  public void create() throws StorageException {
    var attributes =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    try {
      Files.createDirectories(socket.getParent(), attributes);
      Files.createDirectories(path, attributes);
      for (Path point : List.of(export(), recovery())) {
        // Not looked into: a mount of a device that is gone would keep this thread.
        if (!List.of(path.toFile().list()).contains(point.getFileName().toString())) {
          Files.createDirectory(point, attributes);
        }
      }
    } catch (IOException e) {
      throw StorageException.io(path.toString(), e);
    }
  }

  /**
   * Writes a file as a whole.
   *
   * @throws StorageException IO
   */
  static void write(Path file, String text) throws StorageException {
    Path next = file.resolveSibling("." + file.getFileName() + ".new");
    try {
      Files.writeString(next, text);
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }

  /**
   * Returns what a file of the folder holds; empty when it is absent.
   *
   * @throws StorageException IO
   */
  static String read(Path file) throws StorageException {
    try {
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }

  /**
   * Deletes the folder and the socket; its mount points must be empty folders.
   *
   * @throws StorageException IO, also when something is still mounted
   */
  public void delete() throws StorageException {
    try {
      Files.deleteIfExists(socket);
      Files.deleteIfExists(lease());
      Files.deleteIfExists(address());
      for (Path file : List.of(server(), exportText(), nextExport(), bus(), pid(), credentials())) {
        Files.deleteIfExists(file);
      }
      for (Path folder : List.of(export(), recovery(), path)) {
        Files.deleteIfExists(folder);
      }
    } catch (IOException e) {
      throw StorageException.io(path.toString(), e);
    }
  }
}
