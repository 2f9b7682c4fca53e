package dev.holdfast.engine.lvm.blobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.lvm.testkit.MemoryRecords;
import dev.holdfast.lvm.testkit.SimulatedLvm;
import dev.holdfast.vm.testkit.HostCrash;
import dev.holdfast.vm.testkit.RecordingHost;
import dev.holdfast.vm.testkit.RecordingHost.Moment;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Ends the process of a node before and after each of its commands, in each call about a pool that
 * two nodes use. The next start of that node and a repetition complete the call, all nodes read
 * what was written, and nothing stays that ordinary calls cannot remove.
 */
class SharedCrashTest {
  private static final String ONE = "node-1";
  private static final String TWO = "node-2";
  private static final Blob A = new Blob(SimulatedLvm.GROUP, "a");
  private static final Blob B = new Blob(SimulatedLvm.GROUP, "b");
  private static final long SIZE = 64L << 20;
  private static final int MOST_COMMANDS = 300;

  /** A call, and what is there before it. */
  @SuppressWarnings("ImmutableEnumChecker") // lambdas without state
  private enum Call {
    CREATE(cluster -> {}, cluster -> cluster.on(ONE).createEmpty(A, BlobOptions.THIN, SIZE)),
    ATTACH(Call::thin, cluster -> cluster.on(ONE).attach(A, "c")),
    ATTACH_SECOND(Call::attachedOnOne, cluster -> cluster.on(TWO).attach(A, "c")),
    DETACH_SECOND(Call::attachedOnBoth, cluster -> cluster.on(TWO).detach(A, "c")),
    DETACH_ACTIVE(Call::attachedOnBoth, cluster -> cluster.on(ONE).detach(A, "c")),
    MOVE(Call::attachedOnBoth, cluster -> cluster.on(ONE).optimize(A, TWO)),
    MOVE_HITHER(Call::attachedOnBoth, cluster -> cluster.on(TWO).optimize(A, TWO)),
    COPY(Call::attachedOnBoth, cluster -> cluster.on(TWO).createCopy(B, A)),
    EXTEND(Call::attachedOnBoth, cluster -> cluster.on(TWO).extend(A, 2 * SIZE)),
    DELETE(Call::thin, cluster -> cluster.on(TWO).delete(A));

    private final Step before;
    private final Step call;

    Call(Step before, Step call) {
      this.before = before;
      this.call = call;
    }

    private static void thin(SimulatedCluster cluster) throws StorageException {
      cluster.on(ONE).createEmpty(A, BlobOptions.THIN, SIZE);
    }

    private static void attachedOnOne(SimulatedCluster cluster) throws Exception {
      thin(cluster);
      var unused = cluster.on(ONE).attach(A, "c");
      cluster.write(ONE, A, 1);
    }

    private static void attachedOnBoth(SimulatedCluster cluster) throws Exception {
      attachedOnOne(cluster);
      var unused = cluster.on(TWO).attach(A, "c");
    }
  }

  private interface Step {
    void run(SimulatedCluster cluster) throws Exception;
  }

  private interface Fault {
    void plant(SimulatedCluster cluster, int number);
  }

  private static void atCommand(SimulatedCluster cluster, String node, int number, Moment moment) {
    cluster.commands.get(node).clear();
    cluster.commands.get(node).crash(number, moment);
  }

  /** Returns at how many points a process was ended. */
  private static int endEverywhere(Call call, String node, Fault fault) throws Exception {
    for (int number = 0; ; number++) {
      SimulatedCluster cluster = new SimulatedCluster(ONE, TWO);
      call.before.run(cluster);
      fault.plant(cluster, number);
      if (!crashes(call, cluster, node)) {
        return number;
      }
      cluster.restart(node);
      call.call.run(cluster);
      for (String other : List.of(ONE, TWO)) {
        cluster.on(other).keepLinks(SimulatedLvm.GROUP);
      }
      check(cluster, call + " ended on " + node + " at point " + number);
      cluster.assertNothingLeftOver();
    }
  }

  private static void check(SimulatedCluster cluster, String point) throws Exception {
    try {
      cluster.assertSettled();
    } catch (AssertionError e) {
      throw new AssertionError(point + ": " + e.getMessage(), e);
    }
    for (String node : List.of(ONE, TWO)) {
      if (!cluster.records.list("").isEmpty() && cluster.pool("a").users().contains(node)) {
        assertThat(cluster.read(node, A)).as(point + ": content on " + node).isIn(0, 1);
      }
    }
  }

  /** A call that fails because another process has ended is repeated too. */
  private static boolean crashes(Call call, SimulatedCluster cluster, String node)
      throws Exception {
    try {
      call.call.run(cluster);
    } catch (HostCrash | MemoryRecords.Crash e) {
      return true;
    } catch (StorageException e) {
      if (!cluster.commands.get(node).crashed()) {
        throw e;
      }
    }
    return cluster.commands.get(node).crashed();
  }

  @ParameterizedTest
  @EnumSource
  void nextStartCompletesWhatACommandInterrupted(Call call) throws Exception {
    int points = 0;
    for (String node : List.of(ONE, TWO)) {
      for (Moment moment : Moment.values()) {
        points +=
            endEverywhere(
                call, node, (cluster, number) -> atCommand(cluster, node, number, moment));
      }
    }
    assertThat(points).as("points of " + call).isGreaterThan(5);
  }

  private static void failFrom(RecordingHost commands, int number, Moment moment) {
    commands.clear();
    for (int fault = 0; fault < MOST_COMMANDS; fault++) { // each one happens once
      commands.fail(
          command -> commands.commands().size() > number,
          moment,
          new StorageException(ErrorCode.IO, "planted failure"));
    }
  }

  /**
   * Lets all commands of a node fail from a point on, until the call has ended; the processes live
   * on. Returns at how many points.
   */
  private static int failEverywhere(Call call, String node, Moment moment) throws Exception {
    for (int number = 0; ; number++) {
      SimulatedCluster cluster = new SimulatedCluster(ONE, TWO);
      call.before.run(cluster);
      RecordingHost commands = cluster.commands.get(node);
      failFrom(commands, number, moment);
      attempt(call.call, cluster);
      boolean reached = commands.commands().size() > number;
      commands.restart();
      for (String looking : List.of(ONE, TWO, ONE)) {
        attempt(each -> each.on(looking).keepLinks(SimulatedLvm.GROUP), cluster);
      }
      for (Map.Entry<String, SimulatedLvm> host : cluster.hosts.entrySet()) {
        for (String device : host.getValue().mapper.names()) {
          assertThat(host.getValue().mapper.isSuspended(device))
              .as("%s: %s on %s waits after a failure at %s", call, device, host.getKey(), number)
              .isFalse();
        }
      }
      if (!reached) {
        return number;
      }
      call.call.run(cluster);
      for (String looking : List.of(ONE, TWO)) {
        cluster.on(looking).keepLinks(SimulatedLvm.GROUP);
      }
      check(cluster, call + " with a failure on " + node + " at point " + number);
      cluster.assertNothingLeftOver();
    }
  }

  private static void attempt(Step step, SimulatedCluster cluster) throws Exception {
    try {
      step.run(cluster);
    } catch (StorageException e) {
      assertThat(e).as("failure").isNotNull(); // judged by the state of the devices
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"DETACH_SECOND", "DETACH_ACTIVE", "MOVE", "MOVE_HITHER", "EXTEND"})
  void noDeviceStaysSuspendedAfterCommandsFailed(Call call) throws Exception {
    int points = 0;
    for (String node : List.of(ONE, TWO)) {
      for (Moment moment : Moment.values()) {
        points += failEverywhere(call, node, moment);
      }
    }
    assertThat(points).as("points of " + call).isGreaterThan(5);
  }
}
