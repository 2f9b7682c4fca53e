package dev.holdfast.engine.testkit;

import org.junit.jupiter.api.Nested;

/** The kit for engines that declare {@code REPLICATED}. */
public abstract class ReplicatedEngineKit extends EngineKit {

  @Override
  protected abstract EngineLab.Replicated lab();

  /** Several replicas stay one volume. */
  @Nested
  public class Replication extends ReplicationTests {
    Replication() {
      super(ReplicatedEngineKit.this.lab());
    }
  }
}
