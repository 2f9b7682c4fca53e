package dev.holdfast.engine.sparse.simulation;

import java.util.List;

/**
 * A rule of the protocol that a simulation can remove, to check that its absence is detected. Rules
 * in the engine's code are removed while the class is loaded. The simulated disk, network, host or
 * register breaks the others. Each comment describes the behaviour without the rule.
 */
public enum Rule {
  /** All rules hold. */
  NONE,

  /** Requests are answered before the drop of a failed member is decided. */
  ACKNOWLEDGED_BEFORE_DROP(Edit.saysYes("members/PendingRemovals", "failed", "pause")),
  /** Replies are sent while a drop is being decided. */
  ACKNOWLEDGED_DURING_DROP(Edit.redirected("replica/RequestGate", "answer", "holdAnswer")),
  /** Requests in flight when another engine took over are acknowledged. */
  ACKNOWLEDGED_AT_TAKEOVER(Edit.without("members/MembershipManager", "fail", "pause")),
  /** Survivors decide without the register, even if they are a minority. */
  DECIDED_ALONE(Edit.saysYes("members/RegisterRecord", "alone", "foundFrom")),
  /** The dropped members are not recorded. */
  DROP_DECIDED,
  /** Survivors do not flush before a drop. */
  DROP_FLUSHED(Edit.without("members/EpochDecision", "lambda$makeDurable$", "sync")),

  /** A volume opens although the register is unreachable. */
  START_WITH_STORE,
  /** An opening needs no majority. */
  START_WITH_MAJORITY(Edit.empty("volume/StartRule", "checkMajority")),
  /** An opening serves before its epoch is recorded. */
  EPOCH_BEFORE_READ(Edit.without("volume/VolumeStart", "record", "recordEpoch")),
  /** After all hosts lost power, some replicas are enough. */
  ALL_AFTER_POWER_LOSS(Edit.saysYes("volume/StartRule", "later", "flushedOnly")),
  /** An opening fails if a dispensable replica cannot be read. */
  UNREADABLE_LEFT_OUT(Edit.without("volume/VolumeStart", "leaveOut", "mayBeLeftOut")),
  /** An opening finds no marks. */
  RESYNC,
  /** A replica does not report that its host rebooted since it was marked. */
  BOOT,

  /** A replica still serves sessions that a later one has ended. */
  FENCING,
  /** A later session does not wait for running requests of the earlier one. */
  FENCING_DRAINS(Edit.without("replica/ReplicaSession", "supersede", "awaitDrained")),
  /** A replica forgets which engine it admitted. */
  PROMISE_DURABLE(Edit.withoutNth("replica/LocalFence", "promise", "store", 1)),
  /** Unanswered requests are sent again to a replica that has since lost its memory. */
  SENT_AGAIN_TO_THE_SAME(Edit.without("link/ReplicaChannel", "adopt", "changedSince")),
  /** A session that a witness does not know proves that another engine took over. */
  WITNESS_FENCED_AGAIN(Edit.without("link/RemoteMember", "control", "provesNothing")),
  /** A connection of the same engine does not end the earlier one. */
  SESSION_RAISED,

  /** A flush makes nothing durable. */
  FLUSH,
  /** Marks reach no disk. */
  MARKS,
  /** Marks are written but not synced before the data. */
  MARKS_DURABLE,
  /** Marks are cleared after the write, before the flush. */
  MARKS_UNTIL_FLUSH,
  /** A replica removes its marks after a flush that only it executed. */
  MARKS_UNTIL_ALL_FLUSHED,
  /** A drop does not record earlier marks as missed. */
  MARKS_MERGED(Edit.redirected("members/EpochDecision", "missed", "all")),
  /** Changes during the absence of a replica are not recorded as missed. */
  MISSED_NOTED(Edit.without("replica/LocalReplica", "mark", "add")),
  /** A rebuild ignores the marks of the replica itself. */
  OWN_MARKS_COPIED(Edit.withoutNth("rebuild/ReplicaRebuild", "changed", "or", 2)),

  /** An Error in one request affects other requests. */
  ERROR_FAILS_ONE_REQUEST(
      Edit.redirected("members/ReplicaFanout", "read", "defect"),
      Edit.redirected("members/ReplicaFanout", "write", "defect")),
  /** The buffer of a write that hangs in its disk is reused once the write is answered. */
  HUNG_BUFFER_HELD(Edit.without("members/TimedRequest", "abandon", "hold")),

  /** Reads do not wait for changes of the same block. */
  READS_WAIT(Edit.begun("members/RangeQueue", "enter", "readersApart")),
  /** Changes of the same block have no order. */
  CHANGES_ORDERED(Edit.begun("members/RangeQueue", "enter", "allApart")),
  /** A rebuild copies into the head, which changes during the copy. */
  COPY_BELOW_HEAD(Edit.redirected("chain/LayerTransfer", "write", "open")),
  /** Changes are not sent to the target of a rebuild. */
  TARGET_GETS_CHANGES(Edit.withoutNth("members/MemberSet", "<init>", "addAll", 1)),
  /** A member whose sync failed is synced again later. */
  SYNC_ONCE(Edit.without("members/Flusher", "lambda$syncAll$", "drop")),
  /** A target trims by the layers that it has so far. */
  TRIM_BY_ALL_LAYERS(Edit.begun("chain/LayerWriter", "<init>", "knownBelow")),

  /** Failed changes stay different on the members. */
  ERROR_EQUALISED(Edit.without("members/FailureRule", "changeFailed", "equalize")),

  /** An engine opens a replica that another engine has locked. */
  LOCK_HONOURED(Edit.redirected("replica/LocalFence", "lock", "lock")),
  /** A replica stays locked when its engine has left it. */
  LOCK_RELEASED(Edit.without("replica/LocalReplica", "closeFiles", "unlock")),
  /** A volume that was opened while its engine stopped stays open. */
  OPENED_WHILE_STOPPING_CLOSED(Edit.saysYes("OpenVolumes", "add", "added")),
  /** A layer that a clone shares is changed in place. */
  SHARED_LAYERS_COPIED(Edit.empty("chain/SharedLayers", "own")),

  /** Replicas that were not salvaged are assumed to miss only the recorded regions. */
  SALVAGE_MISSES_ALL(Edit.without("volume/VolumeStart", "run", "salvaged")),
  /** All salvaged replicas are treated as equal. */
  SALVAGED_TOGETHER(
      Edit.saysYes("volume/StartRule", "salvaged", "equals"),
      Edit.saysYes("volume/StartRule", "salvaged", "contains")),
  /** Checksums of snapshots are not kept. */
  SUMS_KEPT(Edit.without("scrub/LayerScrub", "begin", "put")),
  /** Damage that a scrub found is not repaired. */
  SCRUB_REPAIRS(Edit.without("scrub/LayerScrub", "judge", "repairAll")),
  /** When replicas differ without a checksum, one of them counts as right. */
  SCRUB_GUESSES_NOTHING(Edit.yes("scrub/ScrubRule", "mostOf")),

  /**
   * A replica that failed in an operation that the others rejected is only compared in its marked
   * regions.
   */
  REFUSED_OPERATION_MISSED(
      Edit.without("volume/ChainCoordinator", "dropUnlikeOthers", "failedDifferAnywhere")),
  /** A snapshot is taken while requests are in flight. */
  SNAPSHOT_GATED(
      Edit.saysYes("members/MembershipManager", "still", "pause"),
      Edit.without("members/MembershipManager", "still", "awaitDrained"));

  @SuppressWarnings("ImmutableEnumChecker") // An immutable list of records.
  private final List<Edit> edits;

  Rule(Edit... edits) {
    this.edits = List.of(edits);
  }

  List<Edit> edits() {
    return edits;
  }
}
