package dev.holdfast.backupstore.image;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.holdfast.backupstore.Compression;
import dev.holdfast.backupstore.internal.BlockList;
import dev.holdfast.backupstore.internal.ConfigReader;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Reads the configuration of one backup of an image, which is hostile input. */
final class ImageConfig {
  static final String CONTENT_CHECKSUM = "HoldfastContentChecksum";

  private static final long LARGEST_IMAGE = 1L << 46;
  private static final long BYTES_PER_BLOCK = 128;
  private static final long OTHER_BYTES = 1 << 20;
  private static final int MOST_LABELS = 64;
  private static final int LONGEST_LABEL = 1_024;

  private final String image;
  private final String subject;
  private final ConfigReader reader;
  private final Map<String, String> texts = new HashMap<>();
  private final Map<String, String> labels = new HashMap<>();
  private final BlockList.Builder blocks;
  private final boolean withBlocks;
  private long size;

  private ImageConfig(ObjectStore store, String image, boolean withBlocks) {
    this.image = image;
    this.withBlocks = withBlocks;
    this.subject = "backup of image " + image;
    this.reader = new ConfigReader(store, subject);
    this.blocks = new BlockList.Builder(subject, (int) (LARGEST_IMAGE / ImageKeys.BLOCK));
  }

  /** Reads everything. */
  static StoredImage read(ObjectStore store, String image, StoredObject config)
      throws StorageException {
    ImageConfig read = new ImageConfig(store, image, true).read(config);
    StoredImage.Summary summary = read.summary();
    return new StoredImage(summary, read.blocks.build(ImageKeys.BLOCK, summary.sizeBytes()));
  }

  /** Reads everything but the blocks. */
  static StoredImage.Summary summary(ObjectStore store, String image, StoredObject config)
      throws StorageException {
    return new ImageConfig(store, image, false).read(config).summary();
  }

  private ImageConfig read(StoredObject config) throws StorageException {
    long most = LARGEST_IMAGE / ImageKeys.BLOCK;
    reader.read(config, OTHER_BYTES + BYTES_PER_BLOCK * most, this::field);
    return this;
  }

  private boolean field(String field, JsonParser value) throws IOException, StorageException {
    switch (field) {
      case "Name",
          "Checksum",
          "CompressionMethod",
          "CreatedTime",
          "CompleteTime",
          CONTENT_CHECKSUM ->
          texts.put(field, reader.text(field, value));
      case "Size" -> size = reader.number(field, value);
      case "Labels" -> labels(value);
      case "Blocks" -> {
        // Longhorn writes them behind all other fields.
        if (!withBlocks) {
          return false;
        }
        blocks(value);
      }
      default -> value.skipChildren();
    }
    return true;
  }

  /** Keeps labels. They do not affect what is restored, so that unusable ones are left out. */
  private void labels(JsonParser value) throws IOException, StorageException {
    if (value.currentToken() != JsonToken.START_OBJECT) {
      value.skipChildren();
      return;
    }
    ConfigReader.object(
        value,
        (name, text) -> {
          String label = reader.text(name, text);
          if (labels.size() < MOST_LABELS
              && !name.isEmpty()
              && name.length() <= LONGEST_LABEL
              && label.length() <= LONGEST_LABEL) {
            labels.put(name, label);
          }
          return true;
        });
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
      long[] offset = {-1};
      String[] checksum = {""};
      ConfigReader.object(
          value,
          (field, part) -> {
            switch (field) {
              case "Offset" -> offset[0] = reader.number(field, part);
              case "BlockChecksum" -> checksum[0] = reader.text(field, part);
              default -> part.skipChildren();
            }
            return true;
          });
      blocks.add(offset[0], checksum[0]);
    }
  }

  private StoredImage.Summary summary() throws StorageException {
    if (!image.equals(text("Name"))) {
      throw reader.damaged("is that of the image \"" + text("Name") + "\"");
    }
    if (size <= 0 || size > LARGEST_IMAGE) {
      throw reader.damaged("field Size: " + size + " bytes are not a size of an image");
    }
    return new StoredImage.Summary(
        image,
        size,
        text("Checksum"),
        text(CONTENT_CHECKSUM),
        text("CreatedTime"),
        text("CompleteTime"),
        Compression.of(subject, text("CompressionMethod")),
        labels);
  }

  private String text(String field) {
    return texts.getOrDefault(field, "");
  }
}
