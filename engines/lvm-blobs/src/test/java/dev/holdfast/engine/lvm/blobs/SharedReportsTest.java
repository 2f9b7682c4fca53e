package dev.holdfast.engine.lvm.blobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lvm.testkit.SimulatedLvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Programs that the watches of two nodes run, with several volumes of a shared group. */
class SharedReportsTest {
  private static final String ONE = "node-1";
  private static final String TWO = "node-2";
  private static final String GROUP = SimulatedLvm.GROUP;
  private static final Duration AGE = Duration.ofSeconds(4);
  private static final Duration PERIOD = Duration.ofSeconds(2);
  private static final int VOLUMES = 5;
  private static final long SIZE = 64L << 20;

  private final SimulatedCluster cluster = new SimulatedCluster(AGE, ONE, TWO);
  private final List<Blob> blobs = new ArrayList<>();

  @BeforeEach
  void attachVolumes() throws Exception {
    for (int n = 0; n < VOLUMES; n++) {
      Blob blob = new Blob(GROUP, "v" + n);
      blobs.add(blob);
      cluster.on(ONE).createEmpty(blob, BlobOptions.THIN, SIZE);
      var unused = cluster.on(ONE).attach(blob, "c");
      unused = cluster.on(TWO).attach(blob, "c");
    }
    pass(AGE);
    clear();
  }

  private void pass(Duration time) {
    long unused = cluster.nanoTime.addAndGet(time.toNanos());
  }

  private void clear() {
    cluster.commands.values().forEach(host -> host.clear());
  }

  private List<String> programs(String node) {
    return cluster.commands.get(node).commands().stream()
        .map(command -> Path.of(command.get(0)).getFileName().toString())
        .toList();
  }

  /** All that a node does about its volumes every two seconds. */
  private void look(String node) throws Exception {
    var unused = cluster.on(node).keepSpace(GROUP);
    cluster.on(node).keepLinks(GROUP);
    assertThat(cluster.on(node).waits(GROUP)).isEmpty();
  }

  @Test
  void nodeRunsOneProgramInAPeriodForAllVolumes() throws Exception {
    for (int period = 1; period <= 3; period++) {
      look(ONE);
      look(TWO);
      assertThat(programs(ONE)).as("programs in %d periods", period).hasSize(period);
      assertThat(programs(TWO))
          .as("programs in %d periods", period)
          .hasSizeLessThanOrEqualTo(period);
      pass(PERIOD);
    }
    assertThat(programs(ONE)).containsOnly("lvs");
  }

  private long reports(String node) {
    return programs(node).stream().filter("lvs"::equals).count();
  }

  /** Requests wait during a move, and in a shared group each program of LVM takes its lock. */
  @Test
  void moveLooksAtTheGroupOnlyAroundStepsThatChangeIt() throws Exception {
    cluster.on(ONE).optimize(blobs.get(0), TWO);
    assertThat(cluster.pool("v0").place().activeOn()).isEqualTo(TWO);
    assertThat(reports(ONE)).as("on the old node").isLessThanOrEqualTo(8);
    assertThat(reports(TWO)).as("on the new node").isLessThanOrEqualTo(9);
  }

  @Test
  void volumesOfAPoolAreActivatedAndDeactivatedByOneProgram() throws Exception {
    Blob copy = new Blob(GROUP, "copy");
    cluster.on(ONE).createCopy(copy, blobs.get(0));
    var unused = cluster.on(TWO).attach(copy, "c");
    clear();
    cluster.on(ONE).optimize(blobs.get(0), TWO);
    assertThat(programs(ONE).stream().filter("lvchange"::equals))
        .as("volumes, then the pool, on the old node")
        .hasSizeLessThanOrEqualTo(2);
    assertThat(programs(TWO).stream().filter("lvchange"::equals)).as("new node").hasSize(1);
  }

  @Test
  void questionsAboutAllVolumesUseTheReportOfThePeriod() throws Exception {
    look(ONE);
    clear();
    for (Blob blob : blobs) {
      assertThat(cluster.on(ONE).find(blob).orElseThrow().complete()).isTrue();
      assertThat(cluster.on(ONE).activeNode(blob)).contains(ONE);
    }
    assertThat(programs(ONE)).isEmpty();
    pass(AGE);
    assertThat(cluster.on(ONE).find(blobs.get(0))).isPresent();
    assertThat(programs(ONE)).containsExactly("lvs");
  }

  /** The identity of the group decides about replicas, so it is asked for each time. */
  @Test
  void inspectionLooksAtTheGroupAndSharesTheReportOfLocks() throws Exception {
    assertThat(cluster.on(ONE).take(GROUP).taken()).isTrue();
    assertThat(cluster.on(ONE).inspect(GROUP)).isPresent();
    cluster.missing.add("daemon sanlock");
    clear();
    assertThat(cluster.on(ONE).inspect(GROUP)).isPresent();
    assertThat(programs(ONE)).containsExactly("vgs");
  }

  @Test
  void missingLockIsReportedAfterTenSecondsAndItsReturnAtOnce() throws Exception {
    assertThat(cluster.on(ONE).inspect(GROUP)).isPresent();
    cluster.missing.add("daemon sanlock");
    pass(Duration.ofSeconds(10));
    assertThatThrownBy(() -> cluster.on(ONE).inspect(GROUP)).hasMessageContaining("daemon sanlock");
    cluster.missing.clear();
    assertThat(cluster.on(ONE).inspect(GROUP)).isPresent();
  }

  @Test
  void reportFromBeforeAnOwnChangeIsNotShared() throws Exception {
    look(ONE);
    Blob copy = new Blob(GROUP, "copy");
    cluster.on(ONE).createCopy(copy, blobs.get(0));
    assertThat(cluster.on(ONE).find(copy).orElseThrow().complete()).isTrue();
    cluster.on(ONE).delete(copy);
    assertThat(cluster.on(ONE).find(copy)).isEmpty();
  }

  /**
   * A pool that another node has extended, or that writers have filled, is seen in the next look.
   */
  @Test
  void spaceIsNeverDecidedByAnEarlierReport() throws Exception {
    look(ONE);
    cluster.hosts.get(ONE).fill("hfp-v0", SIZE, 1L << 20);
    assertThat(cluster.on(ONE).keepSpace(GROUP))
        .filteredOn(space -> space.pool().equals("hfp-v0"))
        .singleElement()
        .satisfies(space -> assertThat(space.usedBytes()).isEqualTo(SIZE));
  }

  /** Steps look for themselves, so they find what another node did since the shared report. */
  @Test
  void stepsNeverUseASharedReport() throws Exception {
    look(TWO);
    cluster.on(ONE).optimize(blobs.get(0), TWO);
    cluster.on(TWO).detach(blobs.get(0), "c");
    cluster.on(ONE).detach(blobs.get(0), "c");
    cluster.on(TWO).delete(blobs.get(0));
    cluster.on(TWO).createEmpty(blobs.get(0), BlobOptions.THIN, 2 * SIZE);
    assertThat(cluster.on(ONE).size(blobs.get(0))).isEqualTo(2 * SIZE);
    cluster.assertSettled();
  }
}
