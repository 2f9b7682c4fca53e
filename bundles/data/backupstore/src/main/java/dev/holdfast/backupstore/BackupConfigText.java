package dev.holdfast.backupstore;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.holdfast.backupstore.internal.BlockTable;
import dev.holdfast.backupstore.internal.ConfigReader;
import dev.holdfast.error.StorageException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;

/** Writes the configuration of a backup with the fields of Longhorn, in their order. */
final class BackupConfigText {
  private final BackupRequest request;
  private final Compression compression;
  private final boolean aboveImage;

  BackupConfigText(BackupRequest request, Compression compression, boolean aboveImage) {
    this.request = request;
    this.compression = compression;
    this.aboveImage = aboveImage;
  }

  /** Returns the configuration that announces the backup before its first block. */
  ByteBuffer inProgress() throws StorageException {
    return write(
        json -> {
          head(json, "", 0);
          json.writeNullField("Parameters");
          tail(json, false, 0, 0);
          json.writeNullField("ProcessingBlocks");
          json.writeNullField("Blocks");
        });
  }

  /** Returns the configuration of the complete backup. */
  ByteBuffer complete(
      String createdTime,
      long volumeSize,
      BlockTable blocks,
      boolean incremental,
      BlockUpload.Totals totals)
      throws StorageException {
    return write(
        json -> {
          head(json, createdTime, (long) blocks.count() * blocks.blockSize());
          json.writeObjectFieldStart("Parameters");
          for (Map.Entry<String, String> entry :
              parameters(volumeSize, blocks.blockSize()).entrySet()) {
            json.writeStringField(entry.getKey(), entry.getValue());
          }
          json.writeEndObject();
          tail(json, incremental, totals.newBytes(), totals.repeatedBytes());
          if (incremental) {
            json.writeNullField("ProcessingBlocks");
          } else {
            json.writeObjectFieldStart("ProcessingBlocks");
            json.writeEndObject();
          }
          blocks(json, blocks);
        });
  }

  private Map<String, String> parameters(long volumeSize, int blockSize) {
    Map<String, String> parameters = new TreeMap<>();
    parameters.put(BackupConfig.BLOCK_SIZE, Integer.toString(blockSize));
    parameters.put(BackupConfig.VOLUME_SIZE, Long.toString(volumeSize));
    if (!request.snapshotUid().isEmpty()) {
      parameters.put(BackupConfig.SNAPSHOT_UID, request.snapshotUid());
    }
    if (aboveImage && !request.image().contentChecksum().isEmpty()) {
      parameters.put(BackupConfig.IMAGE_CONTENT, request.image().contentChecksum());
    }
    return parameters;
  }

  private void head(JsonGenerator json, String createdTime, long size) throws IOException {
    json.writeStringField("Name", request.name().backup());
    json.writeStringField("VolumeName", request.name().volume());
    json.writeStringField("SnapshotName", request.snapshot());
    json.writeStringField("SnapshotCreatedAt", VolumeConfig.time(request.snapshotCreatedAt()));
    json.writeStringField("CreatedTime", createdTime);
    json.writeStringField("Size", Long.toString(size));
    if (request.labels().isEmpty()) {
      json.writeNullField("Labels");
      return;
    }
    json.writeObjectFieldStart("Labels");
    for (Map.Entry<String, String> label : request.labels().entrySet()) {
      json.writeStringField(label.getKey(), label.getValue());
    }
    json.writeEndObject();
  }

  private void tail(JsonGenerator json, boolean incremental, long newBytes, long repeatedBytes)
      throws IOException {
    json.writeBooleanField("IsIncremental", incremental);
    json.writeStringField("CompressionMethod", compression.text());
    json.writeStringField("NewlyUploadedDataSize", Long.toString(newBytes));
    json.writeStringField("ReUploadedDataSize", Long.toString(repeatedBytes));
  }

  private static void blocks(JsonGenerator json, BlockTable blocks) throws IOException {
    json.writeArrayFieldStart("Blocks");
    for (int i = 0; i < blocks.limit(); i++) {
      if (blocks.has(i)) {
        json.writeStartObject();
        json.writeNumberField("Offset", (long) i * blocks.blockSize());
        json.writeStringField("BlockChecksum", blocks.hash(i).text());
        json.writeEndObject();
      }
    }
    json.writeEndArray();
  }

  /** Writes fields. */
  private interface Fields {
    void write(JsonGenerator json) throws IOException;
  }

  private ByteBuffer write(Fields fields) throws StorageException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try (JsonGenerator json = ConfigReader.JSON.createGenerator(text)) {
      json.writeStartObject();
      fields.write(json);
      json.writeObjectFieldStart("SingleFile");
      json.writeStringField("FilePath", "");
      json.writeEndObject();
      json.writeEndObject();
    } catch (IOException e) {
      throw StorageException.io("backup " + request.name(), e);
    }
    return ByteBuffer.wrap(text.toByteArray());
  }
}
