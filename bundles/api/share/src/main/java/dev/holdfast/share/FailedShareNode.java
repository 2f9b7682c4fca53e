package dev.holdfast.share;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;

/**
 * A node on which a share failed. Other nodes are preferred for a time.
 *
 * @param nodeID name of the node
 * @param at time of the last failure
 * @param count number of failures in sequence
 * @param reason cause of the last failure, as in the condition Ready
 */
@RecordBuilder
public record FailedShareNode(String nodeID, Optional<Instant> at, int count, String reason)
    implements FailedShareNodeBuilder.With {
  /** Replaces null components by their defaults. */
  public FailedShareNode {
    nodeID = Defaults.text(nodeID);
    at = Defaults.optional(at);
    reason = Defaults.text(reason);
  }
}
