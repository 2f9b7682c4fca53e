package dev.holdfast.backup.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backuptarget.ForwardingObjectStore;
import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.engine.sparse.internal.SparseEngine;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.restore.RestoreDamaged;
import dev.holdfast.resource.restore.RestoreMode;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.RestoreStatus;
import dev.holdfast.resource.volume.Volume;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Volumes that clients use while they are restored from a target that a test delays. */
@Tag("slow")
class LazyRestoreTest extends BackupLab {
  private static final int BLOCKS = 16;

  private final Set<ContentPlace> passing = new HashSet<>();
  private boolean released;
  private byte[] content;
  private Backup backup;

  @BeforeEach
  void backUp() throws Exception {
    for (int i = 0; i < BLOCKS; i++) {
      write("from", (long) i * BLOCK, i + 1);
    }
    content = content("from");
    request("backup-1");
    backup = completed("backup-1");
  }

  @AfterEach
  void release() {
    synchronized (passing) {
      released = true;
      passing.notifyAll();
    }
  }

  /** Place of a block of the backup at the target. */
  record ContentPlace(String key, long offset) {}

  /** Returns the place of a block of the backup at the target. */
  ContentPlace place(int block) throws Exception {
    String checksum = checksum(block);
    List<String> keys = new ArrayList<>();
    targets.store.list("", "", object -> keys.add(object.key()));
    return keys.stream()
        .filter(key -> key.contains(checksum))
        .map(key -> new ContentPlace(key, 0))
        .findFirst()
        .orElseThrow();
  }

  /** Damages a block at the target. Returns the reason that is reported. */
  String damage(int block) throws Exception {
    targets.store.delete(List.of(place(block).key()));
    return "is missing";
  }

  /** Returns the number of bytes that a damaged block affects. */
  int blockSize() {
    return BLOCK;
  }

  /** Delays all blocks except those that the test names, until {@link #release}. */
  private void holdUp() {
    targets.wrap =
        opened ->
            new ForwardingObjectStore(opened) {
              @Override
              public void get(String key, long offset, ByteBuffer target) throws StorageException {
                if (hasContent(key)) {
                  awaitPassing(new ContentPlace(key, offset));
                }
                super.get(key, offset, target);
              }
            };
  }

  private void awaitPassing(ContentPlace place) {
    synchronized (passing) {
      try {
        while (!released && !passing.contains(place)) {
          passing.wait();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void letThrough(int block) throws Exception {
    synchronized (passing) {
      passing.add(place(block));
      passing.notifyAll();
    }
  }

  private String checksum(int block) throws Exception {
    byte[] bytes = Arrays.copyOfRange(content, block * BLOCK, (block + 1) * BLOCK);
    byte[] digest = MessageDigest.getInstance("SHA-512").digest(bytes);
    return HexFormat.of().formatHex(digest).substring(0, 64);
  }

  private void beginRestore() throws Exception {
    make(
        "copy",
        SIZE,
        spec -> spec.withFromBackup(backup.status().url()).withRestoreMode(RestoreMode.LAZY));
    Awaiting.until(store, Volume.KIND, "copy", Volume::isUsableWhileCopied);
    open("copy", true);
  }

  private RestoreStatus restored() throws Exception {
    return Awaiting.until(
            store, Volume.KIND, "copy", v -> v.status().restore().state() == CloneState.COMPLETED)
        .status()
        .restore();
  }

  private static void expect(byte[] bytes, long offset, int fill) {
    Arrays.fill(bytes, (int) offset, (int) offset + 4096, (byte) fill);
  }

  @Test
  void readsAndChangesAreServedWhileTheRestIsHeldUp() throws Exception {
    holdUp();
    beginRestore();
    letThrough(13);
    assertThat(read("copy", 13L * BLOCK).get(30, TimeUnit.SECONDS)).isEqualTo((byte) 14);
    letThrough(12);
    write("copy", 12L * BLOCK + 8192, 99);
    expect(content, 12L * BLOCK + 8192, 99);
    RestoreStatus status = store.get(Volume.KIND, "copy").orElseThrow().status().restore();
    assertThat(status.state()).isEqualTo(CloneState.INITIATED);
    assertThat(status.progress()).isBetween(1, 50);

    release();
    assertThat(restored().progress()).isEqualTo(100);
    assertThat(content("copy")).isEqualTo(content);
  }

  @Test
  void changesAreKeptWhenTheNodeEndsBeforeTheRestore() throws Exception {
    holdUp();
    beginRestore();
    letThrough(9);
    write("copy", 9L * BLOCK, 77);
    expect(content, 9L * BLOCK, 77);
    node.close();
    targets.wrap = opened -> opened;
    live();

    assertThat(restored().damaged()).isEmpty();
    assertThat(content("copy")).isEqualTo(content);
  }

  @Test
  void restoreContinuesWhenItsEngineIsReplaced() throws Exception {
    holdUp();
    beginRestore();
    letThrough(4);
    write("copy", 4L * BLOCK, 66);
    expect(content, 4L * BLOCK, 66);
    CompletableFuture<Byte> waiting = read("copy", 6L * BLOCK);
    node.plugins.removeEngine(engine);
    node.plugins.addEngine(new SparseEngine());
    letThrough(6);
    assertThat(waiting.get(30, TimeUnit.SECONDS)).isEqualTo((byte) 7);

    release();
    assertThat(restored().damagedBlocks()).isZero();
    assertThat(content("copy")).isEqualTo(content);
  }

  @Test
  void requestsWaitWhileTheTargetIsAway() throws Exception {
    beginRestoreWithout(ErrorCode.UNREACHABLE);
    CompletableFuture<Byte> waiting = read("copy", 3L * BLOCK);
    Awaiting.until(
        store, Volume.KIND, "copy", v -> v.status().restore().message().contains("is away"));
    assertThat(waiting).isNotDone();
    targets.plan = (call, key) -> {};

    assertThat(waiting.get(30, TimeUnit.SECONDS)).isEqualTo((byte) 4);
    assertThat(restored().message()).isEmpty();
    assertThat(content("copy")).isEqualTo(content);
  }

  private void beginRestoreWithout(ErrorCode code) throws Exception {
    targets.plan =
        (call, key) -> {
          if (hasContent(key)) {
            throw new StorageException(code, "target " + MemoryTargets.URL + " is away");
          }
        };
    beginRestore();
  }

  @Test
  void damagedBlockIsNamedAndBecomesZeroesOnRequest() throws Exception {
    String reason = damage(5);
    beginRestore();
    assertThat(failure(read("copy", 5L * BLOCK))).contains(ErrorCode.IO);
    Volume volume =
        Awaiting.until(
            store,
            Volume.KIND,
            "copy",
            v -> v.status().restore().message().contains("damaged block"));
    assertThat(volume.status().restore().message())
        .contains("offset " + 5L * BLOCK + ", " + blockSize() + " bytes", reason);
    assertThat(read("copy", 6L * BLOCK).get(30, TimeUnit.SECONDS)).isEqualTo((byte) 7);
    assertThat(volume.isUsableWhileCopied()).isTrue();

    store.update(volume.withSpec(volume.spec().withRestoreDamaged(RestoreDamaged.ZERO)));
    RestoreStatus status = restored();
    assertThat(status.damagedBlocks()).isEqualTo(1);
    assertThat(status.damaged()).hasSize(1).first().asString().contains("offset " + 5L * BLOCK);
    Arrays.fill(content, 5 * BLOCK, 5 * BLOCK + blockSize(), (byte) 0);
    assertThat(content("copy")).isEqualTo(content);
  }

  private static Optional<ErrorCode> failure(CompletableFuture<Byte> outcome) throws Exception {
    return outcome
        .handle((value, e) -> e instanceof StorageException failed ? failed.code() : null)
        .thenApply(Optional::ofNullable)
        .get(30, TimeUnit.SECONDS);
  }

  @Test
  void sourceOfRegionsIsUsedByAsManyThreadsAsThereIsMemory() throws Exception {
    try (RestoredBackup opened =
        RestoredBackup.open(
            targets.installed(), new TargetAccess(backup.status().url(), "", ""), Runnable::run)) {
      assertThat(opened.sources(3, block -> false)).hasSizeBetween(1, 3);
    }
  }
}
