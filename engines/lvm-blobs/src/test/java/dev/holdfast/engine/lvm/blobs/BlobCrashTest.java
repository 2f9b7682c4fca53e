package dev.holdfast.engine.lvm.blobs;

import static dev.holdfast.engine.lvm.blobs.SimulatedNode.MIB;
import static dev.holdfast.engine.lvm.blobs.SimulatedNode.blob;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.StorageException;
import dev.holdfast.lvm.testkit.MemoryRecords;
import dev.holdfast.vm.testkit.HostCrash;
import dev.holdfast.vm.testkit.RecordingHost.Moment;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Ends the process before and after each command, and before and after each write of a record, of
 * each call. The next start completes the call, or the caller's repetition does, and nothing stays
 * that ordinary calls cannot remove.
 */
class BlobCrashTest {
  private static final Blob A = blob("a");
  private static final Blob B = blob("b");
  private static final long SIZE = 64 * MIB;

  /** A call, and what is there before it. */
  @SuppressWarnings("ImmutableEnumChecker") // lambdas without state
  private enum Call {
    CREATE_THIN(blobs -> {}, blobs -> blobs.createEmpty(A, BlobOptions.THIN, SIZE)),
    CREATE_LINEAR(blobs -> {}, blobs -> blobs.createEmpty(A, BlobOptions.LINEAR, 3072 * MIB)),
    CREATE_COPY(Call::thin, blobs -> blobs.createCopy(B, A)),
    CREATE_COPY_OF_ATTACHED(Call::attached, blobs -> blobs.createCopy(B, A)),
    CREATE_AGAIN_BESIDE_COPY(
        blobs -> {
          copied(blobs);
          blobs.delete(A);
        },
        blobs -> blobs.createEmpty(A, BlobOptions.THIN, SIZE)),
    DELETE_LAST(Call::thin, blobs -> blobs.delete(A)),
    DELETE_SOURCE(Call::copied, blobs -> blobs.delete(A)),
    DELETE_LINEAR(Call::linear, blobs -> blobs.delete(A)),
    ATTACH(Call::thin, blobs -> blobs.attach(A, "one")),
    ATTACH_AGAIN(Call::attached, blobs -> blobs.attach(A, "two")),
    ATTACH_LINEAR(Call::linear, blobs -> blobs.attach(A, "one")),
    DETACH_LAST(Call::attached, blobs -> blobs.detach(A, "one")),
    DETACH_ONE(
        blobs -> {
          attached(blobs);
          blobs.attach(A, "two");
        },
        blobs -> blobs.detach(A, "two")),
    DETACH_BESIDE_COPY(
        blobs -> {
          copied(blobs);
          blobs.attach(A, "one");
          blobs.attach(B, "one");
        },
        blobs -> blobs.detach(B, "one")),
    CHANGES(Call::copied, blobs -> blobs.changes(Optional.of(A), B, (from, length, kind) -> true)),
    CHANGES_OF_ATTACHED(
        Call::attached, blobs -> blobs.changes(Optional.empty(), A, (from, length, kind) -> true)),
    EXTEND(Call::thin, blobs -> blobs.extend(A, 2 * SIZE)),
    EXTEND_ATTACHED(Call::attached, blobs -> blobs.extend(A, 2 * SIZE)),
    EXTEND_LINEAR(
        blobs -> {
          linear(blobs);
          blobs.attach(A, "one");
        },
        blobs -> blobs.extend(A, 2 * SIZE));

    private final Step before;
    private final Step call;

    Call(Step before, Step call) {
      this.before = before;
      this.call = call;
    }

    private static void thin(BlobManager blobs) throws StorageException {
      blobs.createEmpty(A, BlobOptions.THIN, SIZE);
    }

    private static void linear(BlobManager blobs) throws StorageException {
      blobs.createEmpty(A, BlobOptions.LINEAR, SIZE);
    }

    private static void attached(BlobManager blobs) throws StorageException {
      thin(blobs);
      blobs.attach(A, "one");
    }

    private static void copied(BlobManager blobs) throws StorageException {
      thin(blobs);
      blobs.createCopy(B, A);
    }
  }

  private interface Step {
    void run(BlobManager blobs) throws StorageException;
  }

  private interface Fault {
    void plant(SimulatedNode node, int number, boolean after);
  }

  private static List<PoolRecord> resultOf(Call call) throws StorageException {
    SimulatedNode node = new SimulatedNode();
    call.before.run(node.blobs);
    call.call.run(node.blobs);
    node.assertSettled();
    return node.recorded();
  }

  /** Returns at how many points the process was ended. */
  private static int endEverywhere(Call call, Fault fault, boolean recovers)
      throws StorageException {
    return endEverywhere(call, fault, recovers, SimulatedNode::new);
  }

  private static int endEverywhere(
      Call call, Fault fault, boolean recovers, Supplier<SimulatedNode> nodes)
      throws StorageException {
    List<PoolRecord> expected = resultOf(call);
    for (int number = 0; ; number++) {
      for (boolean after : List.of(false, true)) {
        SimulatedNode node = nodes.get();
        call.before.run(node.blobs);
        fault.plant(node, number, after);
        if (!crashes(call, node)) {
          return number;
        }
        if (recovers) {
          node.restart();
          node.assertSettled();
        } else {
          node.host.restart();
          node.blobs = node.start("node-1");
        }
        call.call.run(node.blobs);
        node.assertSettled();
        assertThat(node.recorded()).as("after point " + number).isEqualTo(expected);
        node.assertNothingLeftOver();
      }
    }
  }

  private static boolean crashes(Call call, SimulatedNode node) throws StorageException {
    try {
      call.call.run(node.blobs);
      return false;
    } catch (HostCrash | MemoryRecords.Crash e) {
      return true;
    }
  }

  private static void atCommand(SimulatedNode node, int number, boolean after) {
    node.host.clear();
    node.host.crash(number, after ? Moment.AFTER : Moment.BEFORE);
  }

  private static void atWrite(SimulatedNode node, int number, boolean after) {
    node.records.crash(number, after);
  }

  @ParameterizedTest
  @EnumSource
  void nextStartCompletesWhatACommandInterrupted(Call call) throws Exception {
    assertThat(endEverywhere(call, BlobCrashTest::atCommand, true)).isGreaterThan(1);
  }

  @ParameterizedTest
  @EnumSource
  void repetitionCompletesWhatACommandInterrupted(Call call) throws Exception {
    assertThat(endEverywhere(call, BlobCrashTest::atCommand, false)).isGreaterThan(1);
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"CHANGES", "CHANGES_OF_ATTACHED"})
  void nextStartCompletesWhatAWriteInterrupted(Call call) throws Exception {
    assertThat(endEverywhere(call, BlobCrashTest::atWrite, true)).isPositive();
  }

  @ParameterizedTest
  @EnumSource
  void rebootedHostGetsItsDevicesAgain(Call call) throws Exception {
    for (int number = 0; ; number++) {
      SimulatedNode node = new SimulatedNode();
      call.before.run(node.blobs);
      atCommand(node, number, true);
      if (!crashes(call, node)) {
        assertThat(number).isGreaterThan(1);
        return;
      }
      node.lvm.reboot();
      node.restart();
      node.assertSettled();
      node.assertNothingLeftOver();
    }
  }

  /** The suite finds faults that are planted in what the code does. */
  @ParameterizedTest
  @EnumSource
  void plantedFaultIsFound(PlantedFault fault) {
    assertThat(Stream.of(Call.values()).anyMatch(call -> isFound(call, fault))).isTrue();
  }

  private static boolean isFound(Call call, PlantedFault planted) {
    for (Fault fault : List.<Fault>of(BlobCrashTest::atCommand, BlobCrashTest::atWrite)) {
      try {
        int unused = endEverywhere(call, fault, true, () -> new SimulatedNode().with(planted));
      } catch (AssertionError | StorageException | NoSuchElementException e) {
        return true;
      }
    }
    return false;
  }
}
