package dev.holdfast.engine.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.DiskEngine;
import dev.holdfast.engine.DiskInfo;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.Fencing;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Two nodes with one disk. After the return of the second opening, the first node can no longer
 * change a byte.
 */
abstract class FencingTests extends EngineTests {
  private static final String OTHER = "node-2";

  private final EngineLab.SharedDisk lab;
  private EngineProvider second;

  FencingTests(EngineLab.SharedDisk lab) {
    super(lab);
    this.lab = lab;
  }

  @BeforeEach
  final void startSecond() throws Exception {
    second = lab.startOn(OTHER);
  }

  @AfterEach
  final void stopSecond() throws Exception {
    lab.stop(second);
  }

  private ReplicaLocation seenFromOther(ReplicaLocation here) {
    return new ReplicaLocation(
        here.volume(),
        here.replica(),
        lab.seenFrom(here.disk(), OTHER),
        here.directoryName(),
        here.witness());
  }

  private OpenVolume openOnOther(ReplicaLocation here) throws StorageException {
    return second.open(
        new OpenRequest(
            VOLUME, SIZE, OTHER, List.of(seenFromOther(here)), register, new RecordingListener()));
  }

  @Test
  final void theEngineDeclaresALock() {
    assertThat(((DiskEngine) engine).fencing()).isEqualTo(Fencing.DISK_LOCK);
  }

  @Test
  final void bothNodesSeeOneIdentity() throws Exception {
    ReplicaLocation here = provisioned(1).get(0);
    DiskInfo there =
        ((DiskEngine) second).inspectDisk(lab.seenFrom(here.disk(), OTHER)).orElseThrow();
    assertThat(there.identity())
        .as("identity of the disk from the second node")
        .isEqualTo(((DiskEngine) engine).inspectDisk(here.disk()).orElseThrow().identity());
    assertThat(there.shared()).as("shared").isTrue();
    assertThat(second.inspectReplica(seenFromOther(here)))
        .as("a replica from the second node")
        .isPresent();
  }

  @Test
  final void theSecondOpeningNamesTheHolderOfTheLock() throws Exception {
    ReplicaLocation here = provisioned(1).get(0);
    byte[] content = bytes(4096);
    try (OpenVolume first = open(List.of(here))) {
      assertThatThrownBy(() -> openOnOther(here))
          .as("an opening while node-1 holds the lock")
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY))
          .hasMessageContaining("node-1");
      io(first).write(0, content);
    }
    try (OpenVolume next = openOnOther(here)) {
      assertThat(io(next).read(0, 4096)).as("content after the lock was free").isEqualTo(content);
    }
  }

  @Test
  final void firstOpeningChangesNoByteAfterTheSecondReturned() throws Exception {
    ReplicaLocation here = provisioned(1).get(0);
    OpenVolume first = open(List.of(here));
    io(first).write(0, bytes(8192));
    io(first).flush();
    lab.expireLocks(engine);
    try (OpenVolume next = openOnOther(here)) {
      byte[] whole = lab.content(here.disk());
      attempt(() -> io(first).write(4096, bytes(4096)));
      attempt(() -> io(first).zero(0, 4096, 0));
      attempt(() -> io(first).trim(0, 4096));
      attempt(() -> io(first).flush());
      attempt(first::close);
      assertThat(lab.content(here.disk()))
          .as("the disk after requests of the opening that lost its lock")
          .isEqualTo(whole);
      byte[] content = bytes(4096);
      io(next).write(0, content);
      assertThat(io(next).read(0, 4096)).isEqualTo(content);
    }
  }

  @Test
  final void theFirstOpeningFailsItsWritesAfterTheSecondReturned() throws Exception {
    ReplicaLocation here = provisioned(1).get(0);
    OpenVolume first = open(List.of(here));
    lab.expireLocks(engine);
    try (OpenVolume next = openOnOther(here)) {
      BlockDevice old = first.device();
      assertThatThrownBy(() -> new DeviceIo(old).write(0, bytes(4096)))
          .as("a write after the lock was taken")
          .isInstanceOf(Exception.class);
      assertThat(io(next).read(0, 4096)).containsOnly(0);
    }
    attempt(first::close);
  }

  @Test
  final void aKilledHolderLosesNothingThatItFlushed() throws Exception {
    ReplicaLocation here = provisioned(1).get(0);
    byte[] content = bytes(4096);
    OpenVolume first = open(List.of(here));
    io(first).write(0, content);
    io(first).flush();
    restartUncleanly();
    try (OpenVolume next = openOnOther(here)) {
      assertThat(io(next).read(0, 4096)).isEqualTo(content);
    }
  }

  @Test
  final void aReplicaThatAnotherNodeHasOpenIsNotDeleted() throws Exception {
    ReplicaLocation here = provisioned(1).get(0);
    try (OpenVolume first = open(List.of(here))) {
      assertThat(failureOf(() -> second.deleteReplica(seenFromOther(here))))
          .as("deletion from the second node")
          .isEqualTo(ErrorCode.BUSY);
      io(first).write(0, bytes(4096));
    }
    second.deleteReplica(seenFromOther(here));
    assertThat(engine.inspectReplica(here)).isEmpty();
  }

  /** Makes a request that may succeed or fail, because only the content of the disk counts. */
  private static void attempt(StorageCall call) {
    var unused = catchThrowable(call::run);
  }
}
