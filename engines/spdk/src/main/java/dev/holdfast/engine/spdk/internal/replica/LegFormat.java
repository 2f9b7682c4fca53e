package dev.holdfast.engine.spdk.internal.replica;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.type.TypeFactory;
import dev.holdfast.engine.spdk.internal.replica.LegRecord.Opening;
import dev.holdfast.engine.spdk.internal.replica.LegRecord.Owner;
import dev.holdfast.engine.spdk.internal.replica.LegRecord.Phase;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Records of replicas as JSON. */
public final class LegFormat {
  private static final String FORMAT = "format";
  private static final int KNOWN = 1;

  // With a type factory of its own, the shared library keeps no class of this bundle.
  private static final ObjectMapper JSON =
      new ObjectMapper().setTypeFactory(TypeFactory.defaultInstance().withClassLoader(null));

  private LegFormat() {}

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
            what + ": format " + object.path(FORMAT) + " is not known: install a newer version");
      }
      return object;
    } catch (IOException e) {
      throw new StorageException(ErrorCode.INVALID, what + ": is not JSON", e);
    }
  }

  /** Returns a record as bytes. */
  public static byte[] write(LegRecord record) {
    ObjectNode object = object();
    object
        .put("volume", record.owner().volume())
        .put("replica", record.owner().replica())
        .put("identity", record.owner().identity())
        .put("content", record.owner().content())
        .put("size", record.sizeBytes())
        .put("phase", record.phase().name())
        .put("head", record.head())
        .put("headParent", record.headParent())
        .put("generation", record.opening().generation())
        .put("session", record.opening().session())
        .put("clean", record.opening().clean());
    ArrayNode snapshots = object.putArray("snapshots");
    record.snapshots().forEach(one -> write(one, snapshots.addObject()));
    return bytes(object);
  }

  private static void write(SnapshotRecord one, ObjectNode entry) {
    entry
        .put("lvol", one.lvol())
        .put("name", one.name())
        .put("parent", one.parent())
        .put("removed", one.removed())
        .put("userCreated", one.userCreated())
        .put("created", one.created().toString())
        .put("size", one.sizeBytes());
    ObjectNode labels = entry.putObject("labels");
    one.labels().forEach(labels::put);
  }

  /**
   * Reads a record.
   *
   * @param what it is, for messages
   * @throws StorageException INVALID when it is not one
   */
  public static LegRecord read(String what, byte[] bytes) throws StorageException {
    JsonNode object = parse(what, bytes);
    List<SnapshotRecord> snapshots = new ArrayList<>();
    try {
      for (JsonNode entry : object.path("snapshots")) {
        snapshots.add(snapshot(entry));
      }
      return new LegRecord(
          new Owner(
              object.path("volume").asText(),
              object.path("replica").asText(),
              object.path("identity").asText(),
              object.path("content").asText()),
          object.path("size").asLong(),
          Phase.valueOf(object.path("phase").asText()),
          object.path("head").asText(),
          object.path("headParent").asText(),
          new Opening(
              object.path("generation").asLong(),
              object.path("session").asLong(),
              object.path("clean").asBoolean()),
          snapshots);
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new StorageException(ErrorCode.INVALID, what + ": " + e.getMessage(), e);
    }
  }

  private static SnapshotRecord snapshot(JsonNode entry) {
    Map<String, String> labels = new TreeMap<>();
    entry
        .path("labels")
        .properties()
        .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
    return new SnapshotRecord(
        entry.path("lvol").asText(),
        entry.path("name").asText(),
        entry.path("parent").asText(),
        entry.path("removed").asBoolean(),
        entry.path("userCreated").asBoolean(),
        Instant.parse(entry.path("created").asText()),
        labels,
        entry.path("size").asLong());
  }
}
