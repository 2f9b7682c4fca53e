package dev.holdfast.engine.lvm.blobs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.type.TypeFactory;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** JSON of a pool's record in the store. A later format is refused, never rewritten. */
final class RecordFormat {
  private static final int FORMAT = 1;

  // With a type factory of its own, the shared library keeps no class of this bundle.
  private static final ObjectMapper JSON =
      new ObjectMapper().setTypeFactory(TypeFactory.defaultInstance().withClassLoader(null));

  private RecordFormat() {}

  static byte[] write(PoolRecord record) {
    ObjectNode object =
        JSON.createObjectNode()
            .put("format", FORMAT)
            .put("id", record.id())
            .put("node", record.node())
            .put("mode", lower(record.options().mode()))
            .put("wipe", lower(record.options().wipe()));
    ArrayNode blobs = object.putArray("blobs");
    for (RecordedBlob blob : record.blobs()) {
      blobs
          .addObject()
          .put("name", blob.name())
          .put("phase", lower(blob.phase()))
          .put("sizeBytes", blob.sizeBytes())
          .put("source", blob.source());
    }
    ArrayNode attachments = object.putArray("attachments");
    for (Attachment attachment : record.attachments()) {
      attachments
          .addObject()
          .put("blob", attachment.blob())
          .put("node", attachment.node())
          .put("cookie", attachment.cookie())
          .put("leaving", attachment.leaving());
    }
    try {
      return JSON.writeValueAsBytes(object);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Reads a record.
   *
   * @param name of the record, for messages
   * @throws StorageException INVALID when it is of another format
   */
  static PoolRecord read(String name, byte[] bytes) throws StorageException {
    try {
      JsonNode object = JSON.readTree(bytes);
      if (object.path("format").asInt() != FORMAT) {
        throw new StorageException(
            ErrorCode.INVALID,
            "record "
                + name
                + " has format "
                + object.path("format")
                + ": a later version of the engine reads it");
      }
      return new PoolRecord(
          object.path("id").asText(),
          object.path("node").asText(),
          new BlobOptions(
              constant(BlobMode.class, object.path("mode")),
              constant(BlobWipe.class, object.path("wipe"))),
          blobs(object.path("blobs")),
          attachments(object.path("attachments")));
    } catch (IOException | IllegalArgumentException e) {
      throw new StorageException(
          ErrorCode.INVALID, "record " + name + " cannot be read: " + e.getMessage(), e);
    }
  }

  private static List<RecordedBlob> blobs(JsonNode array) {
    List<RecordedBlob> blobs = new ArrayList<>();
    for (JsonNode blob : array) {
      blobs.add(
          new RecordedBlob(
              blob.path("name").asText(),
              constant(RecordedBlob.Phase.class, blob.path("phase")),
              blob.path("sizeBytes").asLong(),
              blob.path("source").asText()));
    }
    return blobs;
  }

  private static List<Attachment> attachments(JsonNode array) {
    List<Attachment> attachments = new ArrayList<>();
    for (JsonNode attachment : array) {
      attachments.add(
          new Attachment(
              attachment.path("blob").asText(),
              attachment.path("node").asText(),
              attachment.path("cookie").asText(),
              attachment.path("leaving").asBoolean()));
    }
    return attachments;
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static <E extends Enum<E>> E constant(Class<E> type, JsonNode name) {
    return Enum.valueOf(type, name.asText().toUpperCase(Locale.ROOT));
  }
}
