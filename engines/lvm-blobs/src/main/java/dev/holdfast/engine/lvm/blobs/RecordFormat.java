package dev.holdfast.engine.lvm.blobs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.type.TypeFactory;
import dev.holdfast.engine.lvm.blobs.PoolRecord.Attachment;
import dev.holdfast.engine.lvm.blobs.links.PoolAddress;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * JSON of a pool's record in the store. A later format is refused, never rewritten. Records of
 * shared groups have the second format, which versions for groups of one node refuse.
 */
final class RecordFormat {
  private static final int FORMAT = 1;
  private static final int SHARED = 2;

  // With a type factory of its own, the shared library keeps no class of this bundle.
  private static final ObjectMapper JSON =
      new ObjectMapper().setTypeFactory(TypeFactory.defaultInstance().withClassLoader(null));

  private RecordFormat() {}

  static byte[] write(PoolRecord record) {
    ObjectNode object =
        JSON.createObjectNode()
            .put("format", record.isShared() ? SHARED : FORMAT)
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
    if (record.isShared()) {
      object.set("place", place(record.place()));
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
      int format = object.path("format").asInt();
      if (format != FORMAT && format != SHARED) {
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
          attachments(object.path("attachments")),
          format == SHARED ? place(object.path("place")) : PoolPlace.NONE);
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

  private static ObjectNode place(PoolPlace place) {
    ObjectNode object =
        JSON.createObjectNode()
            .put("activeOn", place.activeOn())
            .put("wantedOn", place.wantedOn())
            .put("phase", lower(place.phase()))
            .put("generation", place.generation());
    ObjectNode connected = object.putObject("connected");
    for (Map.Entry<String, Long> node : new TreeMap<>(place.connected()).entrySet()) {
      connected.put(node.getKey(), node.getValue());
    }
    ObjectNode exports = object.putObject("exports");
    for (Map.Entry<String, PoolAddress> blob : new TreeMap<>(place.exports()).entrySet()) {
      PoolAddress address = blob.getValue();
      exports
          .putObject(blob.getKey())
          .put("node", address.node())
          .put("host", address.host())
          .put("port", address.port())
          .put("generation", address.generation());
    }
    return object;
  }

  private static PoolPlace place(JsonNode object) {
    Map<String, Long> connected = new TreeMap<>();
    object
        .path("connected")
        .properties()
        .forEach(entry -> connected.put(entry.getKey(), entry.getValue().asLong()));
    Map<String, PoolAddress> exports = new TreeMap<>();
    object
        .path("exports")
        .properties()
        .forEach(entry -> exports.put(entry.getKey(), address(entry.getValue())));
    return new PoolPlace(
        object.path("activeOn").asText(),
        object.path("wantedOn").asText(),
        constant(PoolPlace.Phase.class, object.path("phase")),
        object.path("generation").asLong(),
        connected,
        exports);
  }

  private static PoolAddress address(JsonNode object) {
    return new PoolAddress(
        object.path("node").asText(),
        object.path("host").asText(),
        object.path("port").asInt(),
        object.path("generation").asLong());
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static <E extends Enum<E>> E constant(Class<E> type, JsonNode name) {
    return Enum.valueOf(type, name.asText().toUpperCase(Locale.ROOT));
  }
}
