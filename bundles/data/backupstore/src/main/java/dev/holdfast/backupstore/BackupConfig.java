package dev.holdfast.backupstore;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.holdfast.backupstore.internal.BlockList;
import dev.holdfast.backupstore.internal.ConfigReader;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/** Reads the configuration of one backup, with or without its blocks. */
final class BackupConfig {
  /** A block in the configuration takes at most 128 bytes, and the rest is small. */
  private static final long BYTES_PER_BLOCK = 128;

  private static final long OTHER_BYTES = 16L << 20;
  private static final int SMALLEST_BLOCK = 64 << 10;
  private static final int DEFAULT_BLOCK = 2 << 20;
  private static final int LARGEST_BLOCK = 64 << 20;
  private static final int MOST_LABELS = 64;
  private static final int LONGEST_LABEL = 1_024;

  static final String BLOCK_SIZE = "backup-block-size";

  /** The exact size of the volume where it is not a multiple of the block size. */
  static final String VOLUME_SIZE = "holdfast-volume-size";

  /** The identity of the snapshot, by which a later backup trusts it as its base. */
  static final String SNAPSHOT_UID = "holdfast-snapshot-uid";

  /** The checksum of the content of the image below the volume. */
  static final String IMAGE_CONTENT = "holdfast-image-content";

  private final BackupName name;
  private final String subject;
  private final ConfigReader reader;
  private final StoredVolume volume;
  private final boolean withBlocks;
  private final Map<String, String> texts = new HashMap<>();
  private final Map<String, String> parameters = new HashMap<>();
  private final Map<String, String> labels = new HashMap<>();
  private final BlockList.Builder blocks;
  private long size;
  private boolean incremental;

  private BackupConfig(
      ObjectStore store, BackupName name, StoredVolume volume, boolean withBlocks) {
    this.name = name;
    this.volume = volume;
    this.withBlocks = withBlocks;
    this.subject = "backup " + name;
    this.reader = new ConfigReader(store, subject);
    this.blocks = new BlockList.Builder(subject, mostBlocks(volume));
  }

  private static int mostBlocks(StoredVolume volume) {
    return (int) Math.min(Integer.MAX_VALUE / 64, volume.sizeBytes() / SMALLEST_BLOCK + 1);
  }

  /** Reads everything but the blocks. */
  static BackupSummary summary(
      ObjectStore store, StoredObject config, BackupName name, StoredVolume volume)
      throws StorageException {
    return new BackupConfig(store, name, volume, false).read(config).summary();
  }

  /** Reads everything, and refuses what is not a complete backup. */
  static StoredBackup complete(
      ObjectStore store, StoredObject config, BackupName name, StoredVolume volume)
      throws StorageException {
    BackupConfig read = new BackupConfig(store, name, volume, true).read(config);
    BackupSummary summary = read.summary();
    if (summary.inProgress()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "backup " + name + ": is in progress, or its writer died: use another backup");
    }
    return read.stored(summary);
  }

  private BackupConfig read(StoredObject config) throws StorageException {
    long largest = OTHER_BYTES + BYTES_PER_BLOCK * mostBlocks(volume);
    reader.read(config, largest, this::field);
    if (!name.backup().equals(texts.get("Name"))) {
      throw reader.damaged("is that of the backup \"" + texts.get("Name") + "\"");
    }
    if (!name.volume().equals(texts.get("VolumeName"))) {
      throw reader.damaged("is that of the volume \"" + texts.get("VolumeName") + "\"");
    }
    return this;
  }

  private boolean field(String field, JsonParser value) throws IOException, StorageException {
    switch (field) {
      case "Name", "VolumeName", "SnapshotName", "SnapshotCreatedAt", "CreatedTime" ->
          texts.put(field, reader.text(field, value));
      case "CompressionMethod" -> texts.put(field, reader.text(field, value));
      case "Size" -> size = reader.number(field, value);
      case "IsIncremental" -> incremental = value.currentToken() == JsonToken.VALUE_TRUE;
      case "Parameters" -> texts(value, parameters::put);
      case "Labels" -> texts(value, this::label);
      case "Blocks" -> {
        // Longhorn writes them behind all fields of the summary.
        if (!withBlocks && texts.containsKey("CreatedTime")) {
          return false;
        }
        blocks(value);
      }
      default -> value.skipChildren();
    }
    return true;
  }

  private void texts(JsonParser value, BiConsumer<String, String> sink)
      throws IOException, StorageException {
    if (value.currentToken() != JsonToken.START_OBJECT) {
      value.skipChildren();
      return;
    }
    ConfigReader.object(
        value,
        (field, text) -> {
          sink.accept(field, reader.text(field, text));
          return true;
        });
  }

  /** Keeps a label. Labels do not affect what is restored, so that unusable ones are left out. */
  private void label(String name, String value) {
    if (labels.size() < MOST_LABELS
        && !name.isEmpty()
        && name.length() <= LONGEST_LABEL
        && value.length() <= LONGEST_LABEL) {
      labels.put(name, value);
    }
  }

  private void blocks(JsonParser value) throws IOException, StorageException {
    if (value.currentToken() == JsonToken.VALUE_NULL) {
      return;
    }
    if (value.currentToken() != JsonToken.START_ARRAY) {
      throw reader.damaged("field Blocks is not a list");
    }
    while (value.nextToken() != JsonToken.END_ARRAY) {
      if (value.currentToken() != JsonToken.START_OBJECT) {
        throw reader.damaged("field Blocks has an entry that is not an object");
      }
      block(value);
    }
  }

  private void block(JsonParser value) throws IOException, StorageException {
    long offset = -1;
    String checksum = "";
    while (value.nextToken() == JsonToken.FIELD_NAME) {
      String field = value.currentName();
      value.nextToken();
      switch (field) {
        case "Offset" -> offset = reader.number(field, value);
        case "BlockChecksum" -> checksum = reader.text(field, value);
        default -> value.skipChildren();
      }
    }
    blocks.add(offset, checksum);
  }

  private BackupSummary summary() throws StorageException {
    return new BackupSummary(
        name,
        texts.getOrDefault("SnapshotName", ""),
        parameters.getOrDefault(SNAPSHOT_UID, ""),
        texts.getOrDefault("SnapshotCreatedAt", ""),
        texts.getOrDefault("CreatedTime", ""),
        size,
        blockSize(),
        volumeSize(),
        Compression.of(subject, texts.getOrDefault("CompressionMethod", "")),
        incremental,
        labels);
  }

  private int blockSize() throws StorageException {
    String text = parameters.getOrDefault(BLOCK_SIZE, "").trim();
    long bytes = text.isEmpty() || "0".equals(text) ? DEFAULT_BLOCK : bytes(BLOCK_SIZE, text);
    if (bytes < SMALLEST_BLOCK || bytes > LARGEST_BLOCK || Long.bitCount(bytes) != 1) {
      throw reader.damaged(
          "block size " + text + ": expected a power of two from 64 KiB to 64 MiB");
    }
    return (int) bytes;
  }

  private long volumeSize() throws StorageException {
    String text = parameters.getOrDefault(VOLUME_SIZE, "");
    long bytes = text.isEmpty() ? 0 : bytes(VOLUME_SIZE, text);
    if (bytes < 0 || bytes > volume.sizeBytes()) {
      throw reader.damaged(
          "volume size " + text + ": the volume has " + volume.sizeBytes() + " bytes");
    }
    return bytes;
  }

  /** A quantity of bytes: digits, or digits with Ki, Mi or Gi. */
  private long bytes(String parameter, String text) throws StorageException {
    String digits = text.replaceFirst("(Ki|Mi|Gi)$", "");
    int shift =
        switch (text.substring(digits.length())) {
          case "Ki" -> 10;
          case "Mi" -> 20;
          case "Gi" -> 30;
          default -> 0;
        };
    if (!digits.matches("[0-9]{1,18}")
        || Long.numberOfLeadingZeros(Long.parseLong(digits)) <= shift) {
      throw reader.damaged("parameter " + parameter + ": \"" + text + "\" is not a size");
    }
    return Long.parseLong(digits) << shift;
  }

  private StoredBackup stored(BackupSummary summary) throws StorageException {
    long exact = summary.volumeSizeBytes() == 0 ? volume.sizeBytes() : summary.volumeSizeBytes();
    return new StoredBackup(
        summary,
        volume,
        exact,
        parameters.getOrDefault(IMAGE_CONTENT, ""),
        blocks.build(summary.blockSize(), exact));
  }
}
