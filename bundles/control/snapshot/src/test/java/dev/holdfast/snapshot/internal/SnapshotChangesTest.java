package dev.holdfast.snapshot.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.snapshot.ChangedRange;
import dev.holdfast.resource.snapshot.ChangesPage;
import dev.holdfast.resource.snapshot.ChangesRequest;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Lists of changes, page by page. */
class SnapshotChangesTest {
  private static final int RANGES = 4_500;

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final SnapshotChanges changes = new SnapshotChanges();
  private final Changing opened = new Changing();

  @AfterEach
  void close() {
    store.close();
  }

  /** A volume with a difference in every second block, each reported in two halves. */
  private static final class Changing implements SnapshotVolume {
    private int walks;

    @Override
    public void changes(String older, String newer, ExtentVisitor visitor) throws StorageException {
      if (older.equals("none")) {
        throw new StorageException(ErrorCode.NOT_FOUND, "there is no snapshot none");
      }
      walks++;
      for (long i = 0; i < RANGES; i++) {
        visitor.extent(i * 16_384, 4096, ExtentKind.DATA);
        visitor.extent(i * 16_384 + 4096, 4096, ExtentKind.DATA);
        visitor.extent(i * 16_384 + 8192, 8192, ExtentKind.HOLE);
      }
    }

    @Override
    public SnapshotInfo createSnapshot(SnapshotRequest request) {
      throw new AssertionError("not asked for");
    }

    @Override
    public List<SnapshotInfo> snapshots() {
      return List.of();
    }

    @Override
    public void deleteSnapshot(String name) {}

    @Override
    public void revert(String name) {}

    @Override
    public void purge() {}

    @Override
    public BlockDevice openSnapshot(String name) {
      throw new AssertionError("not asked for");
    }

    @Override
    public BlockDevice device() {
      throw new AssertionError("not asked for");
    }

    @Override
    public Map<String, MemberMode> replicas() {
      return Map.of();
    }

    @Override
    public void close() {}
  }

  private ChangesPage page(Snapshot snapshot, ChangesRequest request) throws StorageException {
    Snapshot stored = store.get(Snapshot.KIND, snapshot.name()).orElseThrow();
    Snapshot asked = store.update(stored.withSpec(stored.spec().withChanges(request)));
    changes.begin(asked, opened, store, Runnable::run);
    ChangesPage page = store.get(Snapshot.KIND, snapshot.name()).orElseThrow().status().changes();
    assertThat(page.requestID()).isEqualTo(request.id());
    return page;
  }

  @Test
  void listIsWalkedOnceAndAnsweredInPages() throws Exception {
    Snapshot snapshot = store.create(Snapshot.of("s", SnapshotSpec.EMPTY.withVolume("vol")));
    ChangesPage first = page(snapshot, new ChangesRequest("1", "older", 0));
    assertThat(first.ranges()).hasSize(2_000).startsWith(new ChangedRange(0, 8192));
    ChangesPage second = page(snapshot, new ChangesRequest("2", "older", first.nextOffset()));
    ChangesPage last = page(snapshot, new ChangesRequest("3", "older", second.nextOffset()));
    assertThat(second.ranges()).startsWith(new ChangedRange(2_000 * 16_384L, 8192));
    assertThat(last.ranges())
        .hasSize(RANGES - 4_000)
        .endsWith(new ChangedRange((RANGES - 1) * 16_384L, 8192));
    assertThat(last.nextOffset()).isZero();
    assertThat(opened.walks).isEqualTo(1);
    page(snapshot, new ChangesRequest("4", "another", 0));
    assertThat(opened.walks).isEqualTo(2);
  }

  @Test
  void listIsForgottenWithTheQuestion() throws Exception {
    Snapshot snapshot = store.create(Snapshot.of("s", SnapshotSpec.EMPTY.withVolume("vol")));
    page(snapshot, new ChangesRequest("1", "older", 0));
    Snapshot asked = store.get(Snapshot.KIND, "s").orElseThrow();
    changes.forget(List.of(asked), "vol");
    page(snapshot, new ChangesRequest("2", "older", 0));
    assertThat(opened.walks).isEqualTo(1);
    Snapshot idle = asked.withSpec(asked.spec().withChanges(ChangesRequest.NONE));
    changes.forget(List.of(idle), "vol");
    page(snapshot, new ChangesRequest("3", "older", 0));
    assertThat(opened.walks).isEqualTo(2);
  }

  @Test
  void refusalIsTheAnswer() throws Exception {
    Snapshot snapshot = store.create(Snapshot.of("s", SnapshotSpec.EMPTY.withVolume("vol")));
    assertThat(page(snapshot, new ChangesRequest("1", "none", 0)).error())
        .isEqualTo("there is no snapshot none");
  }
}
