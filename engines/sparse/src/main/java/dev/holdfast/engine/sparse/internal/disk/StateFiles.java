package dev.holdfast.engine.sparse.internal.disk;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The engine's own small files in a replica's directory: a line {@code holdfast 1 <crc32c>}, then
 * JSON. An unreadable file is an error and is never treated as absent.
 */
public final class StateFiles {
  public static final String FOLDER = "holdfast";
  static final String LOCK = FOLDER + "/lock";
  public static final String IDENTITY = FOLDER + "/identity";
  public static final String PROMISE = FOLDER + "/promise";
  public static final String EPOCH = FOLDER + "/epoch";
  public static final String INTENT = FOLDER + "/intent";
  public static final String UNSYNCED = FOLDER + "/unsynced";
  public static final String SERVED = FOLDER + "/served";
  public static final String CLEAN = FOLDER + "/clean";
  public static final String OPERATION = FOLDER + "/operation";

  /** File that names the base below the replica's layers. */
  public static final String BASE = FOLDER + "/base";

  public static final String FOLD = FOLDER + "/fold";
  static final String INDEX = FOLDER + "/index";
  public static final String CHECKSUM_PREFIX = FOLDER + "/checksum-";
  public static final String SUMS_PREFIX = FOLDER + "/sums-";
  public static final String MISSED_PREFIX = FOLDER + "/missed-";

  private static final String HEADER = "holdfast 1 ";
  private static final ObjectMapper JSON = RecordJson.mapper();

  private StateFiles() {}

  /** Reads a record, empty when the file is absent. */
  public static <T> Optional<T> load(ReplicaDirectory directory, String name, Class<T> type)
      throws IOException {
    Optional<byte[]> content = directory.load(name);
    return content.isEmpty()
        ? Optional.empty()
        : Optional.of(decode(directory.path() + "/" + name, content.get(), type));
  }

  /** Replaces a record durably. */
  public static void store(ReplicaDirectory directory, String name, Object state)
      throws IOException {
    directory.store(name, encode(state));
  }

  public static byte[] encode(Object state) throws JsonProcessingException {
    byte[] body = JSON.writeValueAsBytes(state);
    byte[] header = header(body);
    return ByteBuffer.allocate(header.length + body.length).put(header).put(body).array();
  }

  /** Reads the form that {@link #encode} writes; fails when it is damaged. */
  public static <T> T decode(String file, byte[] content, Class<T> type) throws IOException {
    int length = header(new byte[0]).length;
    if (content.length > length) {
      byte[] body = new byte[content.length - length];
      System.arraycopy(content, length, body, 0, body.length);
      if (ByteBuffer.wrap(content, 0, length).equals(ByteBuffer.wrap(header(body)))) {
        return JSON.readValue(body, type);
      }
    }
    throw new IOException(file + " is damaged: its checksum does not match its content");
  }

  private static byte[] header(byte[] body) {
    CRC32C checksum = new CRC32C();
    checksum.update(body);
    return String.format("%s%08x\n", HEADER, checksum.getValue())
        .getBytes(StandardCharsets.US_ASCII);
  }
}
