package dev.holdfast.resource.volume;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * What is observed of a replica.
 *
 * @param currentState what it does now
 * @param provisioned whether its directory is there
 * @param mode what the engine does with it
 * @param actualSize what it takes on its disk
 * @param conditions observed aspects, for example Provisioned
 * @param link whether it shares the content of the snapshot that its volume is a copy of
 */
@RecordBuilder
public record ReplicaStatus(
    InstanceState currentState,
    boolean provisioned,
    ReplicaMode mode,
    Quantity actualSize,
    List<Condition> conditions,
    ReplicaLink link)
    implements ReplicaStatusBuilder.With {
  /** Nothing set. */
  public static final ReplicaStatus EMPTY = new ReplicaStatus(null, false, null, null, null);

  /** Replaces what is null by its default and copies the collections. */
  public ReplicaStatus {
    currentState = Defaults.or(currentState, InstanceState.STOPPED);
    mode = Defaults.or(mode, ReplicaMode.ERR);
    actualSize = Defaults.or(actualSize, Quantity.ZERO);
    conditions = Defaults.list(conditions);
    link = Defaults.or(link, ReplicaLink.NONE);
  }

  /** Creates the status of a replica that shares nothing, as until version 1.1. */
  public ReplicaStatus(
      InstanceState currentState,
      boolean provisioned,
      ReplicaMode mode,
      Quantity actualSize,
      List<Condition> conditions) {
    this(currentState, provisioned, mode, actualSize, conditions, null);
  }
}
