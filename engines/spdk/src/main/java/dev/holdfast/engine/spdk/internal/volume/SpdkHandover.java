package dev.holdfast.engine.spdk.internal.volume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.Handover;
import dev.holdfast.engine.spdk.internal.replica.LegFormat;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * State that an opening passes to the next engine of its node.
 *
 * @param generation of the opening
 * @param legs identities of the current replicas, not null
 */
record SpdkHandover(long generation, Set<String> legs) {
  /** Version of the format. */
  private static final int FORMAT = 1;

  /** Copies the set. */
  SpdkHandover {
    legs = Set.copyOf(legs);
  }

  /** Returns the hand-over to a session. */
  Handover to(long session) {
    ObjectNode state = LegFormat.object().put("generation", generation);
    ArrayNode identities = state.putArray("legs");
    legs.forEach(identities::add);
    return new Handover(FORMAT, session, LegFormat.bytes(state), Map.of());
  }

  /**
   * Reads a hand-over.
   *
   * @throws StorageException UNSUPPORTED for an unknown format; as a state that cannot be read
   */
  static SpdkHandover of(String volume, Handover handover) throws StorageException {
    if (handover.format() != FORMAT) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "volume "
              + volume
              + ": hand-over of format "
              + handover.format()
              + " is not known: install the engine that made it");
    }
    JsonNode state = LegFormat.parse("hand-over of volume " + volume, handover.state());
    Set<String> identities = new TreeSet<>();
    state.path("legs").forEach(one -> identities.add(one.asText()));
    return new SpdkHandover(state.path("generation").asLong(), identities);
  }
}
