package dev.holdfast.engine.sparse.internal.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.ExpandableVolume;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.engine.sparse.internal.OneNode;
import dev.holdfast.engine.sparse.internal.chain.ChainOperation;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.replica.Regions;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One member has no space for an operation, and the disk of the other one fails during it. */
@Timeout(60)
class RefusedAndFailedTest {
  @TempDir Path disks;
  private volatile boolean failing;
  private volatile boolean breaksAtCommit;
  private volatile boolean newHead;
  private volatile OneNode node;

  private ReplicaDirectory around(Path path, ReplicaDirectory directory) {
    return (ReplicaDirectory)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {ReplicaDirectory.class},
            (proxy, method, arguments) -> {
              if (failing && method.getName().equals("create") && path.startsWith(second())) {
                throw new IOException("Input/output error");
              }
              String name = method.getName();
              boolean breaks = breaksAtCommit && path.startsWith(second());
              newHead |= breaks && name.equals("create");
              boolean commits =
                  newHead
                      && name.equals("store")
                      && arguments[0].equals(LonghornLayout.VOLUME_META);
              try {
                Object result = method.invoke(directory, arguments);
                if (breaks && commits) {
                  node.breakDisk(2);
                  throw new IOException("Input/output error");
                }
                return result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static byte[] filled(int value) {
    return OneNode.filled(4096, value);
  }

  private static void snapshot(OpenVolume volume, String name) throws StorageException {
    var unused =
        ((SnapshotVolume) volume)
            .createSnapshot(new SnapshotRequest(name, true, Instant.EPOCH, Map.of()));
  }

  // The disk of the second replica breaks as soon as the operation is durable there.
  private void refusedByTheFirst(ThrowingCallable operation) {
    breaksAtCommit = true;
    node.fill(1, true);
    StorageException why = catchThrowableOfType(StorageException.class, operation);
    assertThat(why.code()).isEqualTo(ErrorCode.NO_SPACE);
    breaksAtCommit = false;
    node.fill(1, false);
    node.mend(2);
  }

  private void assertSecondHolds(byte[] content) throws Exception {
    try (OpenVolume volume = node.open(node.replicas().subList(1, 2))) {
      assertThat(new DeviceIo(volume.device()).read(0, 4096)).isEqualTo(content);
    }
  }

  private Path second() {
    return disks.resolve("d2");
  }

  @Test
  void replicaThatMadeRefusedRevertIsRebuiltWhole() throws Exception {
    try (OneNode made = new OneNode(disks, 2, this::around)) {
      node = made;
      try (OpenVolume volume = node.open()) {
        DeviceIo io = new DeviceIo(volume.device());
        io.write(0, filled(1));
        snapshot(volume, "s");
        io.write(0, filled(2));
      }
      // Closed cleanly, so that no mark covers the second write.
      try (OpenVolume volume = node.open()) {
        refusedByTheFirst(() -> ((SnapshotVolume) volume).revert("s"));
        node.rebuild(volume, node.replica(2));
        assertThat(volume.replicas().values()).containsOnly(MemberMode.RW);
      }
      assertSecondHolds(filled(2));
    }
  }

  // The disk breaks when the expansion is durable: only the next opening can find its result.
  @Test
  void operationThatWaitedDoesNotTakeTheRecordOfOneThatWasBrokenOff() throws Exception {
    try (OneNode made = new OneNode(disks, 2, this::around)) {
      node = made;
      List<ReplicaLocation> second = made.replicas().subList(1, 2);
      made.open().close();
      OpenVolume volume = made.open(second);
      breaksAtCommit = true;
      assertThatThrownBy(() -> ((ExpandableVolume) volume).expand(2 * OneNode.SIZE))
          .isInstanceOf(StorageException.class);
      assertThatThrownBy(() -> snapshot(volume, "s")).isInstanceOf(StorageException.class);
      breaksAtCommit = false;
      made.mend(2);
      Throwable closed = catchThrowable(volume::close);
      assertThat(closed).isNull();
      try (OpenVolume again = made.open(second)) {
        assertThat(again.device().size()).isEqualTo(2 * OneNode.SIZE);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = ChainOperation.Kind.class,
      names = {"SNAPSHOT", "REVERT", "EXPAND"})
  void replicaThatMadeRefusedOperationMissesEverything(ChainOperation.Kind kind) throws Exception {
    try (OneNode made = new OneNode(disks, 2, this::around)) {
      node = made;
      try (OpenVolume volume = node.open()) {
        snapshot(volume, "s");
        refusedByTheFirst(
            () -> {
              switch (kind) {
                case SNAPSHOT -> snapshot(volume, "t");
                case REVERT -> ((SnapshotVolume) volume).revert("s");
                default -> ((ExpandableVolume) volume).expand(2 * OneNode.SIZE);
              }
            });
      }
      Token token = new Token(node.register().read().generation(), 1L << 50);
      ReplicaSession first =
          new ReplicaHost(LocalReplicaDirectory::new, OneNode.BOOT)
              .fence(node.replica(1), token, by -> {});
      assertThat(first.replica().history().missed().values())
          .containsExactly(Regions.all(OneNode.SIZE));
      first.close();
    }
  }

  @Test
  void volumeContinuesWithTheReplicaThatRefused() throws Exception {
    byte[] content = filled(1);
    try (OneNode made = new OneNode(disks, 2, this::around);
        OpenVolume volume = made.open()) {
      node = made;
      DeviceIo io = new DeviceIo(volume.device());
      io.write(0, content);
      failing = true;
      node.fill(1, true);
      StorageException why =
          catchThrowableOfType(
              StorageException.class,
              () ->
                  ((SnapshotVolume) volume)
                      .createSnapshot(new SnapshotRequest("s", true, Instant.EPOCH, Map.of())));
      assertThat(why.code()).isEqualTo(ErrorCode.NO_SPACE);
      node.fill(1, false);
      io.write(4096, content);
      assertThat(io.read(0, 4096)).isEqualTo(content);
      assertThat(volume.replicas())
          .containsEntry("r-1", MemberMode.RW)
          .containsEntry("r-2", MemberMode.ERR);
      assertThat(((SnapshotVolume) volume).snapshots()).isEmpty();
      assertThat(node.register().read().pendingOperation()).isEmpty();
    }
  }
}
