package dev.holdfast.engine.example.outside.internal.disk;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Record that a replica keeps of itself. Written only by the holder of its lock.
 *
 * @param volume its name
 * @param replica its name
 * @param sizeBytes of the volume
 * @param generation of the last opening, 0 before the first
 * @param session of the last opening among those that resumed it
 * @param node of the last opening
 * @param clean whether it was closed in order
 */
public record ReplicaRecord(
    String volume,
    String replica,
    long sizeBytes,
    long generation,
    long session,
    String node,
    boolean clean) {

  /** Returns the record of a new replica. */
  static ReplicaRecord created(String volume, String replica, long sizeBytes) {
    return new ReplicaRecord(volume, replica, sizeBytes, 0, 0, "", true);
  }

  /** Returns the same with another holder, which has not closed it yet. */
  public ReplicaRecord heldBy(String holder, long inGeneration, long inSession) {
    return new ReplicaRecord(volume, replica, sizeBytes, inGeneration, inSession, holder, false);
  }

  /** Returns the same, closed in order or not. */
  public ReplicaRecord closed(boolean inOrder) {
    return new ReplicaRecord(volume, replica, sizeBytes, generation, session, node, inOrder);
  }

  /** Returns whether it names the same opening as another record. */
  public boolean isSameOpening(ReplicaRecord other) {
    return generation == other.generation && session == other.session && node.equals(other.node);
  }

  static ReplicaRecord of(JsonNode json) {
    return new ReplicaRecord(
        json.path("volume").asText(),
        json.path("replica").asText(),
        json.path("sizeBytes").asLong(),
        json.path("generation").asLong(),
        json.path("session").asLong(),
        json.path("node").asText(),
        json.path("clean").asBoolean());
  }

  ObjectNode json() {
    ObjectNode json = JsonFile.object().put("volume", volume).put("replica", replica);
    json.put("sizeBytes", sizeBytes).put("generation", generation).put("session", session);
    return json.put("node", node).put("clean", clean);
  }
}
