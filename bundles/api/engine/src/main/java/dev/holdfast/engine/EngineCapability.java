package dev.holdfast.engine;

/** Optional abilities of an engine. */
public enum EngineCapability {
  /** Flushed and FUA data survives the end of the process and a loss of power. */
  DURABLE,
  /** A volume may have several replicas that are kept identical. */
  REPLICATED,
  /** A replica may be on another node than the engine. */
  REMOTE_REPLICAS,
  /** Every open volume is a {@link SnapshotVolume}. */
  SNAPSHOTS,
  /** Every open volume is an {@link ExpandableVolume}. */
  EXPANSION,
  /** Every open volume is a {@link RebuildableVolume}. */
  REBUILD,
  /** Every open volume is a {@link ScrubbableVolume}. */
  SCRUBBING,
  /** Every open volume is a {@link ReducibleVolume}. */
  REPLICA_REMOVAL,
  /** Every open volume is a {@link ReclaimingVolume}. */
  TRIM_RECLAIM,
  /** The engine is a {@link HandoverEngine}, and every open volume is a {@link HandoverVolume}. */
  HANDOVER,
  /** The engine is a {@link ForwardingEngine}. */
  FORWARDING,
  /**
   * The engine is a {@link LinkedCloneEngine}.
   *
   * @since 1.3
   */
  LINKED_CLONE,
  /**
   * Every open volume is an {@code ExportingVolume}.
   *
   * @since 2.1
   */
  NATIVE_EXPORT,
  /**
   * The engine is a {@code LastingExportEngine}: its native exports keep serving while no process
   * of the platform runs.
   *
   * @since 2.1
   */
  LASTING_EXPORT,
  /**
   * The engine is a {@link ForwardingEngine} that admits any number of nodes to a volume at a time.
   *
   * @since 2.1
   */
  MULTI_NODE,
  /**
   * The engine is a {@link BaseEngine}.
   *
   * @since 2.2
   */
  BASES,
  /**
   * Every open volume is a {@code PlacedVolume}.
   *
   * @since 2.2
   */
  PLACEMENT
}
