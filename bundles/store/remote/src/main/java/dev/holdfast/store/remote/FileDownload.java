package dev.holdfast.store.remote;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.json.ResourceJson;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Stores the files that subresources of an API server send. Thread-safe. */
public final class FileDownload {
  private static final int BLOCK = 64 << 10;
  private static final FileAttribute<?> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final RestClient client;

  /**
   * Prepares a download; connects at the first use.
   *
   * @throws StorageException INVALID when the CA certificate is not PEM
   */
  public FileDownload(ApiConnection connection) throws StorageException {
    this.client = new RestClient(connection, new ResourceJson());
  }

  /**
   * Stores the response to a GET in a new file; blocks of zeroes become holes. Deletes an
   * incomplete file.
   *
   * @param file file to create, not null
   * @param kind of the resource, not null
   * @param name of the resource, not null
   * @param subresource with its query, not null
   * @throws StorageException with the server's error; ALREADY_EXISTS when the file exists;
   *     UNREACHABLE; IO when the file cannot be written
   */
  public void receive(Path file, ResourceKind<?> kind, String name, String subresource)
      throws StorageException {
    receive(file, kind, RestClient.path(kind, name) + "/" + subresource);
  }

  /**
   * Stores the response to a GET of a document that is not a resource, as the other method does;
   * only the owner of the file can read it.
   *
   * @param file file to create, not null
   * @param path absolute, with its query, not null
   * @throws StorageException with the server's error; ALREADY_EXISTS when the file exists;
   *     UNREACHABLE; IO when the file cannot be written
   */
  public void receive(Path file, String path) throws StorageException {
    receive(file, Setting.KIND, path, OWNER_ONLY);
  }

  private void receive(Path file, ResourceKind<?> kind, String path, FileAttribute<?>... attributes)
      throws StorageException {
    try (InputStream body = client.open(kind, path)) {
      store(file, body, attributes);
    } catch (IOException e) {
      throw client.failure(e);
    }
  }

  private static void store(Path file, InputStream body, FileAttribute<?>... attributes)
      throws StorageException, IOException {
    boolean complete = false;
    FileChannel created = create(file, attributes);
    try (FileChannel out = created) {
      copy(file, body, out);
      complete = true;
    } finally {
      if (!complete) {
        Files.deleteIfExists(file);
      }
    }
  }

  private static FileChannel create(Path file, FileAttribute<?>... attributes)
      throws StorageException {
    try {
      return FileChannel.open(
          file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), attributes);
    } catch (FileAlreadyExistsException e) {
      throw new StorageException(
          ErrorCode.ALREADY_EXISTS, file + " exists: name another file, or remove it first", e);
    } catch (IOException e) {
      throw StorageException.io("create " + file, e);
    }
  }

  private static void copy(Path file, InputStream body, FileChannel out)
      throws StorageException, IOException {
    byte[] block = new byte[BLOCK];
    long at = 0;
    boolean hole = false;
    for (int count = body.readNBytes(block, 0, BLOCK);
        count > 0;
        count = body.readNBytes(block, 0, BLOCK)) {
      hole = isZero(block, count);
      if (!hole) {
        write(file, out, at, ByteBuffer.wrap(block, 0, count));
      }
      at += count;
    }
    if (hole) {
      write(file, out, at - 1, ByteBuffer.allocate(1));
    }
  }

  private static boolean isZero(byte[] block, int count) {
    for (int i = 0; i < count; i++) {
      if (block[i] != 0) {
        return false;
      }
    }
    return true;
  }

  private static void write(Path file, FileChannel out, long at, ByteBuffer bytes)
      throws StorageException {
    try {
      long offset = at;
      while (bytes.hasRemaining()) {
        offset += out.write(bytes, offset);
      }
    } catch (IOException e) {
      throw StorageException.io("write " + file, e);
    }
  }
}
