package dev.holdfast.backupstore;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.backupstore.internal.ConfigReader;
import dev.holdfast.backupstore.internal.ObjectInput;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoreCapability;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * The configuration of a volume as it is changed by a writer. Fields that the writer does not know
 * are kept. Five texts are quoted twice, because Longhorn's reader demands it.
 */
final class VolumeConfig {
  private static final long LARGEST = 1 << 20;
  private static final ObjectMapper MAPPER = new ObjectMapper(ConfigReader.JSON);

  private final ObjectStore store;
  private final String volume;
  private final ObjectNode fields;

  private VolumeConfig(ObjectStore store, String volume, ObjectNode fields) {
    this.store = store;
    this.volume = volume;
    this.fields = fields;
  }

  /** Reads the configuration; empty if the target has none of this volume. */
  static Optional<VolumeConfig> read(ObjectStore store, String volume) throws StorageException {
    Optional<StoredObject> object = store.stat(LonghornKeys.volumeConfig(volume));
    if (object.isEmpty()) {
      return Optional.empty();
    }
    ConfigReader reader = new ConfigReader(store, "volume " + volume);
    if (object.get().size() > LARGEST) {
      throw reader.damaged("has " + object.get().size() + " bytes");
    }
    try (InputStream stream = new ObjectInput(store, object.get().key(), object.get().size())) {
      JsonNode read = MAPPER.readTree(stream);
      if (read instanceof ObjectNode fields) {
        return Optional.of(new VolumeConfig(store, volume, fields));
      }
      throw reader.damaged("is not a JSON object");
    } catch (IOException e) {
      if (e.getCause() instanceof StorageException cause) {
        throw cause;
      }
      throw reader.damaged(String.valueOf(e.getMessage()));
    }
  }

  /** Creates the configuration of a volume that the target does not know. */
  static VolumeConfig create(
      ObjectStore store,
      String volume,
      long size,
      Compression compression,
      RecordedImage image,
      Instant now)
      throws StorageException {
    ObjectNode fields = MAPPER.createObjectNode();
    fields.put("Name", volume);
    fields.put("Size", Long.toString(size));
    fields.putNull("Labels");
    fields.put("CreatedTime", time(now));
    fields.put("LastBackupName", "");
    fields.put("LastBackupAt", "");
    fields.put("BlockCount", "0");
    fields.put("BackingImageName", quoted(image.name()));
    fields.put("BackingImageChecksum", quoted(image.checksum()));
    fields.put("CompressionMethod", quoted(compression.text()));
    fields.put("StorageClassName", quoted(""));
    fields.put("DataEngine", quoted("v1"));
    VolumeConfig config = new VolumeConfig(store, volume, fields);
    boolean conditional = store.capabilities().contains(StoreCapability.CREATE_IF_ABSENT);
    try {
      config.put(conditional ? PutOptions.IF_ABSENT : PutOptions.REPLACE);
    } catch (StorageException e) {
      if (e.code() != ErrorCode.CONFLICT) {
        throw e;
      }
      return read(store, volume).orElseThrow(() -> e);
    }
    return config;
  }

  /** A time as configurations have it, in whole seconds. */
  static String time(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  private static String quoted(String text) {
    return "\"" + text + "\"";
  }

  Compression compression() throws StorageException {
    return Compression.of("volume " + volume, unquoted("CompressionMethod"));
  }

  /** Returns a text that may be quoted twice. */
  private String unquoted(String field) {
    String text = text(field);
    boolean twice = text.length() >= 2 && text.startsWith("\"") && text.endsWith("\"");
    return twice ? text.substring(1, text.length() - 1) : text;
  }

  /** Returns whether the backups of the volume hold only what was written above an image. */
  boolean isAboveImage() {
    return !unquoted("BackingImageName").isEmpty();
  }

  String lastBackup() {
    return text("LastBackupName");
  }

  long blockCount() {
    return number("BlockCount");
  }

  private String text(String field) {
    return fields.path(field).asText("");
  }

  private long number(String field) {
    return fields.path(field).asLong(0);
  }

  /** Records a larger size before any backup has blocks in the new part. */
  void grow(long size) throws StorageException {
    if (number("Size") < size) {
      fields.put("Size", Long.toString(size));
      put(PutOptions.REPLACE);
    }
  }

  /** Records the newest backup, and how many blocks the target has. */
  void setLast(String backup, String snapshotCreatedAt, long blocks) throws StorageException {
    fields.put("LastBackupName", backup);
    fields.put("LastBackupAt", snapshotCreatedAt);
    fields.put("BlockCount", Long.toString(blocks));
    put(PutOptions.REPLACE);
  }

  private void put(PutOptions options) throws StorageException {
    try {
      store.put(
          LonghornKeys.volumeConfig(volume),
          List.of(ByteBuffer.wrap(MAPPER.writeValueAsBytes(fields))),
          options);
    } catch (IOException e) {
      throw StorageException.io("volume " + volume, e);
    }
  }
}
