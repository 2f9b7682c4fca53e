package dev.holdfast.engine.lvm.internal.replica;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.type.TypeFactory;
import dev.holdfast.engine.lvm.blobs.BlobMode;
import dev.holdfast.engine.lvm.blobs.BlobOptions;
import dev.holdfast.engine.lvm.blobs.BlobWipe;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Records of replicas and openings as JSON. */
public final class ReplicaFormat {
  private static final String FORMAT = "format";
  private static final int KNOWN = 1;

  // With a type factory of its own, the shared library keeps no class of this bundle.
  private static final ObjectMapper JSON =
      new ObjectMapper().setTypeFactory(TypeFactory.defaultInstance().withClassLoader(null));

  private ReplicaFormat() {}

  /** Returns an object of this format to be filled. */
  public static ObjectNode object() {
    return JSON.createObjectNode().put(FORMAT, KNOWN);
  }

  /** Returns an object as bytes. */
  public static byte[] bytes(ObjectNode object) {
    try {
      return JSON.writeValueAsBytes(object);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Reads what {@link #object} began.
   *
   * @param what it is, for messages
   * @throws StorageException INVALID when it is not of this format
   */
  public static JsonNode parse(String what, byte[] bytes) throws StorageException {
    try {
      JsonNode object = JSON.readTree(bytes);
      if (object.path(FORMAT).asInt() != KNOWN) {
        throw new StorageException(
            ErrorCode.INVALID,
            what
                + " has format "
                + object.path(FORMAT)
                + ": install a version of the engine lvm that reads it");
      }
      return object;
    } catch (IOException e) {
      throw new StorageException(
          ErrorCode.INVALID, what + " is not JSON: restore it from a backup", e);
    }
  }

  private static String text(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private static <E extends Enum<E>> E value(Class<E> type, JsonNode text) {
    return Enum.valueOf(type, text.asText().toUpperCase(Locale.ROOT));
  }

  /** Returns a record as an object. */
  public static ObjectNode write(LvmReplica record) {
    ObjectNode object =
        object()
            .put("volume", record.volume())
            .put("replica", record.replica())
            .put("size", record.sizeBytes())
            .put("mode", text(record.options().mode()))
            .put("wipe", text(record.options().wipe()))
            .put("content", record.content())
            .put("source", record.source())
            .put("head", record.head())
            .put("parent", record.parent())
            .put("blobs", record.blobs())
            .put("phase", text(record.phase()))
            .put("target", record.target());
    ArrayNode snapshots = object.putArray("snapshots");
    record.snapshots().forEach(snapshot -> write(snapshot, snapshots.addObject()));
    return object;
  }

  private static void write(StoredSnapshot snapshot, ObjectNode object) {
    object
        .put("name", snapshot.name())
        .put("blob", snapshot.blob())
        .put("parent", snapshot.parent())
        .put("user", snapshot.userCreated())
        .put("created", snapshot.created().toString())
        .put("phase", text(snapshot.phase()));
    ObjectNode labels = object.putObject("labels");
    snapshot.labels().forEach(labels::put);
  }

  /**
   * Reads a record.
   *
   * @param what it is, for messages
   * @throws StorageException INVALID when it cannot be read
   */
  public static LvmReplica read(String what, JsonNode object) throws StorageException {
    try {
      List<StoredSnapshot> snapshots = new ArrayList<>();
      object.path("snapshots").forEach(snapshot -> snapshots.add(snapshot(snapshot)));
      return new LvmReplica(
          object.path("volume").asText(),
          object.path("replica").asText(),
          object.path("size").asLong(),
          new BlobOptions(
              value(BlobMode.class, object.path("mode")),
              value(BlobWipe.class, object.path("wipe"))),
          object.path("content").asText(),
          object.path("source").asText(),
          object.path("head").asText(),
          object.path("parent").asText(),
          object.path("blobs").asLong(),
          value(LvmReplica.Phase.class, object.path("phase")),
          object.path("target").asText(),
          snapshots);
    } catch (IllegalArgumentException | java.time.DateTimeException e) {
      throw new StorageException(
          ErrorCode.INVALID,
          what + " cannot be read: " + e.getMessage() + ": restore it from a backup",
          e);
    }
  }

  private static StoredSnapshot snapshot(JsonNode object) {
    Map<String, String> labels = new TreeMap<>();
    object
        .path("labels")
        .properties()
        .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
    return new StoredSnapshot(
        object.path("name").asText(),
        object.path("blob").asText(),
        object.path("parent").asText(),
        object.path("user").asBoolean(),
        Instant.parse(object.path("created").asText()),
        labels,
        value(StoredSnapshot.Phase.class, object.path("phase")));
  }
}
