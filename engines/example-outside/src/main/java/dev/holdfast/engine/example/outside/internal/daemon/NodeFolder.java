package dev.holdfast.engine.example.outside.internal.daemon;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The folder that an open volume has on the node that serves it: records and logs of its processes,
 * their sockets, and what it exports. Its name is short, because the path of a socket has at most
 * 107 bytes.
 *
 * <pre>
 *   volume            name of the volume and its replica
 *   serving.json      what is exported; absent when nothing is
 *   tether            pipe that ends the daemon with the engine while nothing is exported
 *   image.q image.s   control socket and NBD server of the daemon that has the image
 *   hosts-K.q .s      the same of the daemon to which hosts of export K connect
 * </pre>
 *
 * @param path of the folder
 * @param volume name of the volume
 */
public record NodeFolder(Path path, String volume) {
  private static final int LONGEST_SOCKET = 107;
  private static final int NAME_BYTES = 6;

  /**
   * Returns the folder of a replica's volume.
   *
   * @param root of all volumes on this node
   */
  public static NodeFolder of(Path root, ReplicaLocation replica) {
    return new NodeFolder(root.resolve(shortName(replica.replica())), replica.volume());
  }

  /** Returns a name of twelve letters and digits that stands for a text. */
  public static String shortName(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, NAME_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /**
   * Makes the folder.
   *
   * @throws StorageException INVALID when its path is too long for sockets; IO
   */
  public void create(String replica) throws StorageException {
    int length =
        server("hosts-" + shortName("")).toString().getBytes(StandardCharsets.UTF_8).length;
    if (length > LONGEST_SOCKET) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume "
              + volume
              + ": the sockets in "
              + path
              + " would have paths of "
              + length
              + " bytes, at most "
              + LONGEST_SOCKET
              + " are possible: move the state directory of the node");
    }
    try {
      Files.createDirectories(path);
      Files.writeString(path.resolve("volume"), volume + " " + replica + "\n");
    } catch (IOException e) {
      throw StorageException.io("volume " + volume + ": " + path, e);
    }
  }

  /** Returns whether the volume was ever open on this node. */
  public boolean exists() {
    return Files.exists(path);
  }

  /** Removes the folder; nothing runs in it. */
  public void delete() throws StorageException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(path)) {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
      Files.delete(path);
    } catch (IOException e) {
      throw StorageException.io("volume " + volume + ": " + path, e);
    }
  }

  /** Returns the control socket of a process. */
  public Path control(String process) {
    return path.resolve(process + ".q");
  }

  /** Returns the socket of the NBD server of a process. */
  public Path server(String process) {
    return path.resolve(process + ".s");
  }

  Path tether() {
    return path.resolve("tether");
  }

  /** Returns the record of what is exported. */
  public Path serving() {
    return path.resolve("serving.json");
  }
}
