package dev.holdfast.certificates.files;

import dev.holdfast.certificates.PrivateFiles;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Credentials of the kernel's initiators of one node, a file of mode 0600 for each volume. Files
 * are replaced as a whole. Thread-safe, also across processes.
 *
 * @param directory created with mode 0700 when the first file is written, not null
 */
public record InitiatorFolder(Path directory) {
  private static final String TLS = "tls";

  /**
   * Returns the credentials that a node made for its own kernel: {@code tls/initiators}.
   *
   * @param data state directory of a node, not null
   * @return empty if this directory is not a node's, or this account may not read the node's key
   */
  public static Optional<InitiatorFolder> ofNode(Path data) {
    return Files.isReadable(data.resolve(TLS).resolve("server.key"))
        ? Optional.of(new InitiatorFolder(data.resolve(TLS).resolve("initiators")))
        : Optional.empty();
  }

  /**
   * Returns the credentials that a node received from another node, whose kernel uses its volumes:
   * {@code tls/initiators-of/NODE}.
   *
   * @param data state directory of the node that serves the volumes, not null
   * @param node name of the node whose kernel uses them, not null
   */
  public static InitiatorFolder ofPeer(Path data, String node) {
    return new InitiatorFolder(ofPeers(data).resolve(node));
  }

  /** Returns the directory of all {@link #ofPeer} folders. */
  public static Path ofPeers(Path data) {
    return data.resolve(TLS).resolve("initiators-of");
  }

  /**
   * Returns the credential of a volume.
   *
   * @param volume its name, not null
   * @return the credential, empty when none is stored
   * @throws StorageException INVALID for an impossible volume name, or a damaged file; IO
   */
  public Optional<InitiatorCredential> read(String volume) throws StorageException {
    Path file = file(volume);
    try {
      return Optional.of(InitiatorCredential.parse(file.toString(), Files.readString(file)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw StorageException.io("read " + file, e);
    }
  }

  /**
   * Replaces the credential of a volume; durable when this returns.
   *
   * @param volume its name, not null
   * @throws StorageException INVALID for an impossible volume name; IO, NO_SPACE
   */
  public void write(String volume, InitiatorCredential credential) throws StorageException {
    Path file = file(volume);
    try {
      PrivateFiles.createDirectory(directory);
      PrivateFiles.write(file, credential.text().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw StorageException.io("write " + file, e);
    }
  }

  /**
   * Deletes the credential of a volume; succeeds when none is stored.
   *
   * @param volume its name, not null
   * @throws StorageException INVALID for an impossible volume name; IO
   */
  public void delete(String volume) throws StorageException {
    Path file = file(volume);
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw StorageException.io("delete " + file, e);
    }
  }

  /**
   * Returns the volumes with a credential.
   *
   * @throws StorageException IO
   */
  public List<String> volumes() throws StorageException {
    List<String> volumes = new ArrayList<>();
    if (Files.isDirectory(directory)) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "[!.]*")) {
        files.forEach(file -> volumes.add(file.getFileName().toString()));
      } catch (IOException e) {
        throw StorageException.io("list " + directory, e);
      }
    }
    return volumes;
  }

  /** A name must not point outside the directory. */
  private Path file(String volume) throws StorageException {
    if (!volume.matches("[a-z0-9][-.a-z0-9]*")) {
      throw new StorageException(ErrorCode.INVALID, "\"" + volume + "\" is not a name of a volume");
    }
    return directory.resolve(volume);
  }
}
