package dev.holdfast.engine.spdk.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The random story finds faults that are planted in the engine. */
@Tag("soak")
class SpdkStoryMutantTest {
  @TempDir private Path disks;

  private Throwable found(FaultyLab.Fault fault) throws Exception {
    SpdkStoryTest story =
        new SpdkStoryTest() {
          @Override
          SpdkCluster cluster(Path folder) throws Exception {
            return new SpdkCluster(
                folder, (fabric, node, nodes) -> new FaultyLab(fault, fabric, node, nodes), 2);
          }
        };
    story.start(disks);
    try {
      return catchThrowable(story::replicasAndSnapshotsAreEqual);
    } finally {
      story.stop();
    }
  }

  /** The snapshot contains a later write, or differs between the replicas. */
  @Test
  void snapshotWithoutADrainOfHostsIsFound() throws Exception {
    assertThat(found(FaultyLab.Fault.NO_DRAIN))
        .isInstanceOf(AssertionError.class)
        .hasMessageMatching("(?s)seed .*(snapshot s|vol-r-node-2).*");
  }

  @Test
  void legThatIsReadBeforeItsParentsAreSetIsFound() throws Exception {
    assertThat(found(FaultyLab.Fault.PARENT_NOT_SET))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("seed");
  }
}
