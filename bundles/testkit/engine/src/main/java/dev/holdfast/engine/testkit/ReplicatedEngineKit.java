package dev.holdfast.engine.testkit;

import org.junit.jupiter.api.Nested;

/** The kit for engines that declare {@code REPLICATED}. */
public abstract class ReplicatedEngineKit extends EngineKit {

  @Override
  protected abstract EngineLab.Replicated lab();

  /** Removal of replicas, for engines that declare {@code REPLICA_REMOVAL}. */
  @Nested
  public class Removal extends RemovalTests {
    Removal() {
      super(ReplicatedEngineKit.this.lab());
    }
  }

  /** Several replicas remain one volume. */
  @Nested
  public class Replication extends ReplicationTests {
    Replication() {
      super(ReplicatedEngineKit.this.lab());
    }
  }

  /** Replicas are added and return, for engines that declare {@code REBUILD}. */
  @Nested
  public class Rebuilding extends RebuildTests {
    Rebuilding() {
      super(ReplicatedEngineKit.this.lab());
    }
  }

  /** Replicas on copies of one base, for engines that declare {@code BASES}. */
  @Nested
  public class BasedReplicas extends BasedReplicaTests {
    BasedReplicas() {
      super(ReplicatedEngineKit.this.lab());
    }
  }

  /** Damaged snapshots, for engines that declare {@code SCRUBBING}. */
  @Nested
  public class Scrubbing extends ScrubTests {
    Scrubbing() {
      super(ReplicatedEngineKit.this.lab());
    }
  }
}
