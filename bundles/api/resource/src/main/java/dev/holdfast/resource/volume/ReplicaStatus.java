package dev.holdfast.resource.volume;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * The observed state of a replica.
 *
 * @param currentState the current state
 * @param provisioned whether the replica exists on its disk
 * @param mode role of the replica in its engine
 * @param actualSize bytes that the replica occupies on its disk
 * @param conditions observed aspects, for example Provisioned
 * @param link whether the replica shares the content of the snapshot from which its volume is
 *     cloned
 * @param ownerID the node that reconciles a replica on a shared disk, replaced after the loss of
 *     that node; empty on a disk of one node
 */
@RecordBuilder
public record ReplicaStatus(
    InstanceState currentState,
    boolean provisioned,
    ReplicaMode mode,
    Quantity actualSize,
    List<Condition> conditions,
    ReplicaLink link,
    String ownerID)
    implements ReplicaStatusBuilder.With {
  /** The value with all fields at their defaults. */
  public static final ReplicaStatus EMPTY = ReplicaStatusBuilder.builder().build();

  /** Replaces null components by their defaults and copies the collections. */
  public ReplicaStatus {
    currentState = Defaults.or(currentState, InstanceState.STOPPED);
    mode = Defaults.or(mode, ReplicaMode.ERR);
    actualSize = Defaults.or(actualSize, Quantity.ZERO);
    conditions = Defaults.list(conditions);
    link = Defaults.or(link, ReplicaLink.NONE);
    ownerID = Defaults.text(ownerID);
  }
}
