package dev.holdfast.engine.sparse.simulation;

import java.util.List;

/**
 * A rule of the protocol that a simulation can take away, to see whether it is noticed. Where it is
 * broken in the engine's own code, the change is planted while the class is loaded; the others are
 * broken by the simulated disk, network, host or register.
 */
public enum Rule {
  /** All rules hold. */
  NONE,

  /** Requests are answered before the drop of a failed member is decided. */
  ACKNOWLEDGED_BEFORE_DROP(Edit.saysYes("members/PendingRemovals", "failed", "pause")),
  /** Answers go out while a drop is being decided. */
  ACKNOWLEDGED_DURING_DROP(Edit.redirected("replica/RequestGate", "answer", "holdAnswer")),
  /** Requests in flight when another engine took over are acknowledged. */
  ACKNOWLEDGED_AT_TAKEOVER(Edit.without("members/MembershipManager", "fail", "pause")),
  /** Survivors decide without the register, however few they are. */
  DECIDED_ALONE(Edit.saysYes("members/RegisterRecord", "alone", "foundFrom")),
  /** The dropped members are not recorded. */
  DROP_DECIDED,
  /** Survivors do not flush before a drop. */
  DROP_FLUSHED(Edit.without("members/EpochDecision", "lambda$makeDurable$", "sync")),

  /** A volume opens although the register is out of reach. */
  START_WITH_STORE,
  /** A start needs no majority. */
  START_WITH_MAJORITY(Edit.empty("volume/StartRule", "checkMajority")),
  /** A start serves before its epoch is recorded. */
  EPOCH_BEFORE_READ(Edit.without("volume/VolumeStart", "record", "recordEpoch")),
  /** After a loss of power of all, some are enough. */
  ALL_AFTER_POWER_LOSS(Edit.saysYes("volume/StartRule", "later", "flushedOnly")),
  /** A start ends when a replica cannot be read that others can do without. */
  UNREADABLE_LEFT_OUT(Edit.without("volume/VolumeStart", "leaveOut", "mayBeLeftOut")),
  /** A start finds no marks. */
  RESYNC,
  /** A replica does not report that its host was booted since it was marked. */
  BOOT,

  /** A replica still serves sessions that a later one has ended. */
  FENCING,
  /** A later session does not wait for requests of the earlier one that run. */
  FENCING_DRAINS(Edit.without("replica/ReplicaSession", "supersede", "awaitDrained")),
  /** A replica forgets which engine it admitted. */
  PROMISE_DURABLE(Edit.withoutNth("replica/LocalFence", "promise", "store", 1)),
  /** Unanswered requests are sent again to a replica that has lost its memory since. */
  SENT_AGAIN_TO_THE_SAME(Edit.without("link/ReplicaChannel", "adopt", "changedSince")),
  /** A session that a witness does not know proves that another engine took over. */
  WITNESS_FENCED_AGAIN(Edit.without("link/RemoteMember", "control", "provesNothing")),
  /** A connection of the same engine does not end the one before it. */
  SESSION_RAISED,

  /** A flush makes nothing durable. */
  FLUSH,
  /** Marks reach no disk. */
  MARKS,
  /** Marks are written but not synced before the data. */
  MARKS_DURABLE,
  /** Marks are cleared after the write, before the flush. */
  MARKS_UNTIL_FLUSH,
  /** A replica takes its marks back when it flushed by itself. */
  MARKS_UNTIL_ALL_FLUSHED,
  /** A drop does not note as missed what was marked before it. */
  MARKS_MERGED(Edit.redirected("members/EpochDecision", "missed", "all")),
  /** Changes while a replica is away are not noted as missed. */
  MISSED_NOTED(Edit.without("replica/LocalReplica", "mark", "add")),
  /** A rebuild does not look at what the replica itself had marked. */
  OWN_MARKS_COPIED(Edit.withoutNth("rebuild/ReplicaRebuild", "changed", "or", 2)),

  /** An Error in one request affects other requests. */
  ERROR_FAILS_ONE_REQUEST(
      Edit.redirected("members/ReplicaFanout", "read", "defect"),
      Edit.redirected("members/ReplicaFanout", "write", "defect")),
  /** The buffer of a write that hangs in its disk is used again once the write is answered. */
  HUNG_BUFFER_HELD(Edit.without("members/TimedRequest", "abandon", "hold")),

  /** Reads do not wait for changes of the same block. */
  READS_WAIT(Edit.begun("members/RangeQueue", "enter", "readersApart")),
  /** Changes of the same block have no order. */
  CHANGES_ORDERED(Edit.begun("members/RangeQueue", "enter", "allApart")),
  /** A rebuild copies into the head, which changes during the copy. */
  COPY_BELOW_HEAD(Edit.redirected("chain/LayerTransfer", "write", "open")),
  /** Changes do not go to the target of a rebuild. */
  TARGET_GETS_CHANGES(Edit.withoutNth("members/MemberSet", "<init>", "addAll", 1)),
  /** A member whose sync failed is synced again later. */
  SYNC_ONCE(Edit.without("members/Flusher", "lambda$syncAll$", "drop")),
  /** A target trusts the layers that it has so far when it trims. */
  TRIM_BY_ALL_LAYERS(Edit.begun("chain/LayerWriter", "<init>", "knownBelow")),

  /** Failed changes stay as they are on each member. */
  ERROR_EQUALISED(Edit.without("members/FailureRule", "changeFailed", "equalize")),

  /** An engine takes a replica that another one has locked. */
  LOCK_HONOURED(Edit.redirected("replica/LocalFence", "lock", "lock")),
  /** A replica stays locked when its engine has left it. */
  LOCK_RELEASED(Edit.without("replica/LocalReplica", "closeFiles", "unlock")),
  /** A volume that was opened while its engine stopped stays open. */
  OPENED_WHILE_STOPPING_CLOSED(Edit.saysYes("OpenVolumes", "add", "added")),
  /** A layer that a clone has too is changed in place. */
  SHARED_LAYERS_COPIED(Edit.empty("chain/SharedLayers", "own")),

  /** Replicas that were not salvaged are believed to miss what was noted, and no more. */
  SALVAGE_MISSES_ALL(Edit.without("volume/VolumeStart", "run", "salvaged")),
  /** All salvaged replicas are treated as equal. */
  SALVAGED_TOGETHER(
      Edit.saysYes("volume/StartRule", "salvaged", "equals"),
      Edit.saysYes("volume/StartRule", "salvaged", "contains")),
  /** Checksums of snapshots are not kept. */
  SUMS_KEPT(Edit.without("scrub/LayerScrub", "begin", "put")),
  /** Damage that a scrub found is not repaired. */
  SCRUB_REPAIRS(Edit.without("scrub/LayerScrub", "judge", "repairAll")),
  /** When replicas differ without a checksum, one of them is believed. */
  SCRUB_GUESSES_NOTHING(Edit.yes("scrub/ScrubRule", "mostOf")),

  /**
   * A replica that failed in an operation which the others rejected is only compared in its marked
   * regions.
   */
  REFUSED_OPERATION_MISSED(
      Edit.without("volume/ChainCoordinator", "dropUnlikeOthers", "failedDifferAnywhere")),
  /** A snapshot is made while requests are in flight. */
  SNAPSHOT_GATED(
      Edit.saysYes("members/MembershipManager", "still", "pause"),
      Edit.without("members/MembershipManager", "still", "awaitDrained"));

  @SuppressWarnings("ImmutableEnumChecker") // Made by List.of, of records.
  private final List<Edit> edits;

  Rule(Edit... edits) {
    this.edits = List.of(edits);
  }

  List<Edit> edits() {
    return edits;
  }
}
