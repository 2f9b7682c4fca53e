package dev.holdfast.backup.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backuptarget.testkit.FaultyObjectStore;
import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupSpec;
import dev.holdfast.resource.backup.BackupState;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Backups that hosts read without a volume. */
@Tag("slow")
class BackupExportTest extends BackupLab {
  private static final String EXPORT = "backup:backup-1";
  private byte[] content;

  @BeforeEach
  void backUp() throws Exception {
    for (int i : List.of(0, 1, 2, 7, 15)) {
      write("from", (long) i * BLOCK + 4096, i + 1);
    }
    content = content("from");
    request("backup-1");
    Backup unused = completed("backup-1");
  }

  private void edit(UnaryOperator<Backup> change) throws StorageException {
    while (true) {
      try {
        store.update(change.apply(store.get(Backup.KIND, "backup-1").orElseThrow()));
        return;
      } catch (StorageException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT);
      }
    }
  }

  private void export(boolean wanted) throws StorageException {
    edit(backup -> backup.withSpec(backup.spec().withExported(wanted)));
  }

  private Backup served() throws Exception {
    return Awaiting.until(store, Backup.KIND, "backup-1", b -> !b.status().endpoint().isEmpty());
  }

  private BlockDevice device() {
    return node.portal.device(EXPORT).orElseThrow();
  }

  private static Optional<ErrorCode> outcome(
      Consumer<CompletableFuture<Optional<ErrorCode>>> request) throws Exception {
    CompletableFuture<Optional<ErrorCode>> outcome = new CompletableFuture<>();
    request.accept(outcome);
    return outcome.get(30, TimeUnit.SECONDS);
  }

  private Optional<ErrorCode> read(long offset, ByteBuffer target) throws Exception {
    return outcome(
        end ->
            device()
                .read(
                    offset,
                    target,
                    e -> end.complete(Optional.ofNullable(e).map(StorageException::code))));
  }

  @Test
  void exportedBackupIsReadAtAnyOffsetAndRefusesChanges() throws Exception {
    export(true);
    Backup served = served();
    assertThat(served.status().exportNodeID()).isEqualTo(VolumeResources.NODE);
    assertThat(served.status().endpoint()).endsWith("/" + EXPORT);
    assertThat(device().size()).isEqualTo(SIZE.bytes());

    Random random = new Random(5);
    for (int i = 0; i < 50; i++) {
      int offset = random.nextInt(content.length);
      ByteBuffer bytes =
          ByteBuffer.allocate(1 + random.nextInt(Math.min(5 << 20, content.length - offset)));
      assertThat(read(offset, bytes)).isEmpty();
      assertThat(bytes.hasRemaining()).isFalse();
      assertThat(bytes.flip()).isEqualTo(ByteBuffer.wrap(content, offset, bytes.limit()));
    }
    assertThat(
            outcome(
                end -> device().write(0, ByteBuffer.allocate(4096), 0, e -> end.complete(code(e)))))
        .contains(ErrorCode.UNSUPPORTED);
    assertThat(read(SIZE.bytes() - 1, ByteBuffer.allocate(2))).contains(ErrorCode.INVALID);
  }

  private static Optional<ErrorCode> code(StorageException failure) {
    return Optional.ofNullable(failure).map(StorageException::code);
  }

  @Test
  void partsWithoutBlocksAreHoles() throws Exception {
    export(true);
    var unused = served();
    byte[] rest = content.clone();
    List<Long> ends = new ArrayList<>(List.of(0L));
    assertThat(
            outcome(
                end ->
                    device()
                        .extents(
                            0,
                            SIZE.bytes(),
                            (offset, length, kind) -> {
                              assertThat(offset).isEqualTo(ends.get(ends.size() - 1));
                              ends.add(offset + length);
                              if (kind == ExtentKind.DATA) {
                                Arrays.fill(rest, (int) offset, (int) (offset + length), (byte) 0);
                              }
                              return true;
                            },
                            e -> end.complete(code(e)))))
        .isEmpty();
    assertThat(ends.get(ends.size() - 1)).isEqualTo(SIZE.bytes());
    assertThat(rest).containsOnly(0);
  }

  @Test
  void smallReadsOfABlockCostOneRequest() throws Exception {
    export(true);
    var unused = served();
    AtomicInteger gets = new AtomicInteger();
    targets.plan =
        (call, key) -> {
          if (call == FaultyObjectStore.Call.GET && hasContent(key)) {
            gets.incrementAndGet();
          }
        };
    for (int i = 0; i < 64; i++) {
      assertThat(read(7L * BLOCK + i * 4096L, ByteBuffer.allocate(4096))).isEmpty();
    }
    assertThat(gets).hasValue(1);
  }

  @Test
  void withdrawnBackupIsShownNoLongerAndCanBeDeleted() throws Exception {
    export(true);
    var unused = served();
    export(false);
    Backup left =
        Awaiting.until(store, Backup.KIND, "backup-1", b -> b.status().endpoint().isEmpty());
    assertThat(left.status().exportNodeID()).isEmpty();
    assertThat(node.portal.exports()).doesNotContain(EXPORT);

    export(true);
    var again = served();
    store.delete(Backup.KIND, "backup-1", "");
    Awaiting.untilGone(store, Backup.KIND, "backup-1");
    assertThat(node.portal.exports()).doesNotContain(EXPORT);
    assertThat(again.status().state()).isEqualTo(BackupState.COMPLETED);
  }

  @Test
  void causeIsNamedWhileTheTargetRefuses() throws Exception {
    targets.token = "another";
    export(true);
    Backup failed =
        Awaiting.until(store, Backup.KIND, "backup-1", b -> !b.status().exportError().isEmpty());
    assertThat(failed.status().exportError()).contains("another token");
    assertThat(failed.status().endpoint()).isEmpty();
    assertThat(node.portal.exports()).doesNotContain(EXPORT);
  }

  @Test
  void nextLifeOfTheNodeShowsTheBackupByTheFrontendThatIsWantedThen() throws Exception {
    export(true);
    var unused = served();
    node.close();
    edit(backup -> backup.withSpec(backup.spec().withExportFrontend("iscsi")));
    live();
    Awaiting.untilGoneOr(
        store, Backup.KIND, "backup-1", b -> b.status().endpoint().startsWith("iscsi:"));
    assertThat(read(0, ByteBuffer.allocate(8192))).isEmpty();
  }

  @Test
  void nodeClaimsWhatIsFreeOrLostOrWantedHere() {
    Backup free = Backup.of("b", BackupSpec.EMPTY.withVolume("from").withExported(true));
    Backup elsewhere = free.withStatus(free.status().withExportNodeID("n2"));
    assertThat(BackupExportReconciler.mayClaim(free, "n1", node -> false)).isTrue();
    assertThat(BackupExportReconciler.mayClaim(elsewhere, "n1", node -> false)).isFalse();
    assertThat(BackupExportReconciler.mayClaim(elsewhere, "n1", "n2"::equals)).isTrue();
    Backup wantedHere = elsewhere.withSpec(elsewhere.spec().withExportNodeID("n1"));
    assertThat(BackupExportReconciler.mayClaim(wantedHere, "n1", node -> false)).isTrue();
    assertThat(BackupExportReconciler.mayClaim(wantedHere, "n3", node -> true)).isFalse();
  }
}
