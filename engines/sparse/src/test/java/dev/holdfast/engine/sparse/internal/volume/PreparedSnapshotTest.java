package dev.holdfast.engine.sparse.internal.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.engine.sparse.internal.OneNode;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A snapshot that is prepared before requests are held. */
@Timeout(120)
class PreparedSnapshotTest {
  private static final int BLOCK = 4096;

  @TempDir private Path disks;
  private OneNode node;
  private OpenVolume volume;

  @BeforeEach
  void open() throws Exception {
    node = new OneNode(disks, 2);
    volume = node.open();
  }

  @AfterEach
  void stop() {
    node.close();
  }

  private SnapshotVolume snapshots() {
    return (SnapshotVolume) volume;
  }

  private static SnapshotRequest request(String name) {
    return new SnapshotRequest(name, true, Instant.EPOCH, Map.of());
  }

  private List<String> names() throws StorageException {
    return snapshots().snapshots().stream().map(SnapshotInfo::name).toList();
  }

  @Test
  void isTakenWithoutTheRegister() throws Exception {
    DeviceIo io = new DeviceIo(volume.device());
    io.write(0, OneNode.filled(BLOCK, 1));
    try (SnapshotVolume.Prepared prepared = snapshots().prepareSnapshot(request("s"))) {
      io.write(0, OneNode.filled(BLOCK, 2));
      node.register().become(InMemoryRegister.Mode.UNREACHABLE);
      int refusals = node.register().refusals();
      assertThat(prepared.take().name()).isEqualTo("s");
      assertThat(node.register().refusals()).as("calls of the register").isEqualTo(refusals);
      io.write(0, OneNode.filled(BLOCK, 3));
      node.register().become(InMemoryRegister.Mode.REACHABLE);
    }
    assertThat(node.register().record().pendingOperation()).isEmpty();
    assertThat(new DeviceIo(snapshots().openSnapshot("s")).read(0, BLOCK))
        .as("content of the moment at which it was taken")
        .isEqualTo(OneNode.filled(BLOCK, 2));
  }

  @Test
  void isWithdrawnWhenItIsNotTaken() throws Exception {
    snapshots().prepareSnapshot(request("s")).close();
    assertThat(names()).isEmpty();
    assertThat(node.register().record().pendingOperation()).isEmpty();
    assertThat(snapshots().createSnapshot(request("s")).name()).isEqualTo("s");
  }

  @Test
  void anotherOperationWaitsUntilItIsOver() throws Exception {
    CompletableFuture<SnapshotInfo> other;
    try (SnapshotVolume.Prepared prepared = snapshots().prepareSnapshot(request("first"))) {
      other = CompletableFuture.supplyAsync(() -> created("second"));
      prepared.take();
      assertThat(other).isNotDone();
    }
    assertThat(other.get(60, TimeUnit.SECONDS).name()).isEqualTo("second");
    assertThat(names()).containsExactly("first", "second");
  }

  private SnapshotInfo created(String name) {
    try {
      return snapshots().createSnapshot(request(name));
    } catch (StorageException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void anOpeningAfterACrashEndsIt() throws Exception {
    SnapshotVolume.Prepared prepared = snapshots().prepareSnapshot(request("s"));
    assertThat(node.register().record().pendingOperation()).isNotEmpty();
    volume = node.open();
    assertThat(node.register().record().pendingOperation()).isEmpty();
    assertThat(names()).containsExactly("s");
    assertThatThrownBy(prepared::close).isInstanceOf(StorageException.class);
  }

  @Test
  void oneThatIsThereIsTakenAgainWithoutEffect() throws Exception {
    snapshots().createSnapshot(request("s"));
    try (SnapshotVolume.Prepared prepared = snapshots().prepareSnapshot(request("s"))) {
      assertThat(prepared.take().name()).isEqualTo("s");
    }
    assertThat(names()).containsExactly("s");
  }
}
