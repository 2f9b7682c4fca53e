package dev.holdfast.engine.spdk.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.engine.spdk.internal.nodes.ClusterNodes;
import dev.holdfast.engine.spdk.simulator.fabric.Fabric;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tests of several nodes find faults that are planted in the engine. */
class SpdkNodesMutantTest {
  /** A test of several nodes. */
  private interface Scenario {
    void run(SpdkNodesTest test) throws Exception;
  }

  @TempDir private Path disks;

  private Throwable found(FaultyLab.Fault fault, Scenario scenario) throws Exception {
    SpdkNodesTest test =
        new SpdkNodesTest() {
          @Override
          SpdkCluster cluster(Path folder) throws Exception {
            return new SpdkCluster(
                folder, (fabric, node, nodes) -> new FaultyLab(fault, fabric, node, nodes), 2);
          }
        };
    test.provision(disks);
    return catchThrowable(() -> scenario.run(test));
  }

  @Test
  void linkThatFailsByItselfIsFound() throws Exception {
    assertThat(found(FaultyLab.Fault.LINK_FAILS, SpdkNodesTest::legStaysWhenItsTargetIsBackInTime))
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void legThatIsReadBeforeItsParentsAreSetIsFound() throws Exception {
    SpdkRebuildTest test =
        new SpdkRebuildTest() {
          @Override
          SpdkCluster cluster(Path folder) throws Exception {
            return new SpdkCluster(
                folder,
                (fabric, node, nodes) ->
                    new FaultyLab(FaultyLab.Fault.PARENT_NOT_SET, fabric, node, nodes),
                2);
          }
        };
    test.provision(disks);
    assertThat(catchThrowable(test::emptyReplicaBecomesCurrentWithAllSnapshots)).isNotNull();
  }

  @Test
  void snapshotWithoutADrainOfHostsIsFound() throws Exception {
    SpdkMirrorTest test =
        new SpdkMirrorTest() {
          @Override
          SpdkLab lab() {
            return new FaultyLab(
                FaultyLab.Fault.NO_DRAIN, new Fabric(), "node-1", new ClusterNodes());
          }
        };
    test.provision(disks);
    try {
      assertThat(catchThrowable(test::snapshotsUnderWritesAreOneMomentOnAllLegs))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("on both legs");
    } finally {
      test.stop();
    }
  }

  @Test
  void fenceThatLeavesTheSubsystemIsFound() throws Exception {
    assertThat(
            found(
                FaultyLab.Fault.FENCE_LEAVES_SUBSYSTEM,
                SpdkNodesTest::cutOffEngineAcknowledgesNothingAndChangesNoByteOfTheOtherNode))
        .isNotNull();
  }
}
