package dev.holdfast.backupstore.image;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.holdfast.backupstore.internal.BlockTable;
import dev.holdfast.backupstore.internal.ConfigReader;
import dev.holdfast.error.StorageException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;

/** Writes the configuration of the backup of an image with the fields of Longhorn, in order. */
final class ImageConfigText {
  private ImageConfigText() {}

  /** Returns the configuration of a backup, whose blocks are left out while it is in progress. */
  static ByteBuffer of(StoredImage.Summary image, BlockTable blocks) throws StorageException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try (JsonGenerator json = ConfigReader.JSON.createGenerator(text)) {
      json.writeStartObject();
      json.writeStringField("Name", image.name());
      json.writeStringField("Size", Long.toString(image.sizeBytes()));
      json.writeStringField("BlockCount", Integer.toString(blocks.count()));
      json.writeStringField("Checksum", image.checksum());
      labels(json, image.labels());
      json.writeStringField("CompressionMethod", image.compression().text());
      json.writeStringField("CreatedTime", image.createdAt());
      json.writeStringField("CompleteTime", image.completedAt());
      json.writeStringField("Secret", "");
      json.writeStringField("SecretNamespace", "");
      json.writeStringField(ImageConfig.CONTENT_CHECKSUM, image.contentChecksum());
      json.writeObjectFieldStart("ProcessingBlocks");
      json.writeObjectFieldStart("Blocks");
      json.writeEndObject();
      json.writeEndObject();
      if (!image.inProgress() && blocks.count() > 0) {
        blocks(json, blocks);
      }
      json.writeEndObject();
    } catch (IOException e) {
      throw StorageException.io("backup of image " + image.name(), e);
    }
    return ByteBuffer.wrap(text.toByteArray());
  }

  private static void labels(JsonGenerator json, Map<String, String> labels) throws IOException {
    json.writeObjectFieldStart("Labels");
    for (Map.Entry<String, String> label : new TreeMap<>(labels).entrySet()) {
      json.writeStringField(label.getKey(), label.getValue());
    }
    json.writeEndObject();
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
}
