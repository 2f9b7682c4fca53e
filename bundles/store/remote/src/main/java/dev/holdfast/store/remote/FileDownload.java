package dev.holdfast.store.remote;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.ResourceJson;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Stores what subresources behind an API server send in files. Thread-safe. */
public final class FileDownload {
  private static final int BLOCK = 64 << 10;

  private final RestClient client;

  /**
   * Prepares; connects only when it is used.
   *
   * @throws StorageException INVALID when the CA certificate is not PEM
   */
  public FileDownload(ApiConnection connection) throws StorageException {
    this.client = new RestClient(connection, new ResourceJson());
  }

  /**
   * Stores the answer to a GET in a new file; blocks of zeroes become holes. A file that is not
   * complete is deleted.
   *
   * @param file to be created, not null
   * @param kind of the resource, not null
   * @param name of the resource, not null
   * @param subresource with its query, not null
   * @throws StorageException as the server says; ALREADY_EXISTS when the file exists; UNREACHABLE;
   *     IO when the file cannot be written
   */
  public void receive(Path file, ResourceKind<?> kind, String name, String subresource)
      throws StorageException {
    String path = RestClient.path(kind, name) + "/" + subresource;
    try (InputStream body = client.open(kind, path)) {
      store(file, body);
    } catch (IOException e) {
      throw client.failure(e);
    }
  }

  private static void store(Path file, InputStream body) throws StorageException, IOException {
    boolean complete = false;
    FileChannel created = create(file);
    try (FileChannel out = created) {
      copy(file, body, out);
      complete = true;
    } finally {
      if (!complete) {
        Files.deleteIfExists(file);
      }
    }
  }

  private static FileChannel create(Path file) throws StorageException {
    try {
      return FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
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
