package dev.holdfast.engine.sparse.internal.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.BaseContent;
import dev.holdfast.engine.BaseLocation;
import dev.holdfast.engine.BaseWriter;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ReplicaRequest;
import dev.holdfast.engine.SnapshotContent;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.engine.sparse.internal.SparseEngine;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bases of the sparse engine as files of a disk that other programs may change. */
class SparseBasesTest {
  private static final long SIZE = 8L << 20;
  private static final long BASE = 1L << 20;
  private static final String MARK = "\"BackingFilePath\":\"holdfast:shares-layers";

  @TempDir private Path disk;
  private final InMemoryRegister register = new InMemoryRegister();
  private SparseEngine engine;
  private BaseLocation base;
  private ReplicaLocation replica;

  @BeforeEach
  void provision() throws Exception {
    engine = new SparseEngine();
    base = new BaseLocation("debian-12", "6f0e", DiskLocation.directory("n", disk), "sha512:first");
    try (BaseWriter writer = engine.createBase(base, BASE)) {
      DeviceIo io = new DeviceIo(writer.device());
      io.zero(0, BASE, 0);
      io.write(0, filled(7));
      writer.seal("sha512:first");
    }
    replica = replica("v");
    engine.provisionReplica(on(replica));
  }

  @AfterEach
  void stop() {
    engine.stop();
  }

  private static byte[] filled(int value) {
    byte[] content = new byte[4096];
    Arrays.fill(content, (byte) value);
    return content;
  }

  private ReplicaLocation replica(String volume) {
    return new ReplicaLocation(volume, volume + "-r", "n", disk, volume + "-r");
  }

  private ReplicaRequest on(ReplicaLocation at) {
    return new ReplicaRequest(at, SIZE, new BaseContent(base), Map.of());
  }

  private Path file() {
    return disk.resolve("backing-images").resolve("debian-12-6f0e").resolve("backing");
  }

  private String volumeMeta(ReplicaLocation at) throws IOException {
    return Files.readString(at.directory().resolve("volume.meta"));
  }

  private OpenVolume open(ReplicaLocation at, InMemoryRegister with) throws StorageException {
    return engine.open(
        new OpenRequest(at.volume(), SIZE, "n", List.of(at), with, new RecordingListener()));
  }

  private OpenVolume open() throws StorageException {
    return open(replica, register);
  }

  private static void assertBase(OpenVolume volume) throws StorageException {
    assertThat(new DeviceIo(volume.device()).read(0, 4096)).isEqualTo(filled(7));
    assertThat(new DeviceIo(volume.device()).read(BASE, 4096)).isEqualTo(new byte[4096]);
  }

  private ErrorCode refusal(Call call) throws Exception {
    try {
      call.run();
    } catch (StorageException e) {
      return e.code();
    }
    throw new AssertionError("expected a refusal, found success");
  }

  /** A call that must be rejected. */
  private interface Call {
    void run() throws Exception;
  }

  @Test
  void filesLieWhereLonghornLooksForThem() throws Exception {
    assertThat(file()).exists();
    assertThat(Files.size(file())).isEqualTo(BASE);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("r--r-----");
    assertThat(volumeMeta(replica)).contains("\"BackingFilePath\":\"" + file() + "\"");
  }

  @Test
  void pathIsWrittenAgainAfterAnotherProgramChangedItOrTheDiskMoved() throws Exception {
    open().close();
    Path meta = replica.directory().resolve("volume.meta");
    Files.writeString(meta, volumeMeta(replica).replace(disk.toString(), "/elsewhere"));
    try (OpenVolume volume = open()) {
      assertBase(volume);
      assertThat(volumeMeta(replica)).contains("\"BackingFilePath\":\"" + file() + "\"");
    }
  }

  @Test
  void lostVolumeMetaKeepsTheBase() throws Exception {
    open().close();
    Files.delete(replica.directory().resolve("volume.meta"));
    try (OpenVolume volume = open()) {
      assertBase(volume);
    }
    assertThat(volumeMeta(replica)).contains("\"BackingFilePath\":\"" + file() + "\"");
  }

  @Test
  void replicaOfLonghornFindsTheImportedImage() throws Exception {
    Files.delete(replica.directory().resolve("holdfast/base"));
    Path meta = replica.directory().resolve("volume.meta");
    String there = "/host/var/lib/longhorn/backing-images/debian-12-6f0e/backing";
    Files.writeString(meta, volumeMeta(replica).replace(file().toString(), there));
    assertThat(refusal(() -> engine.deleteBase(base))).isEqualTo(ErrorCode.BUSY);
    try (OpenVolume volume = open()) {
      assertBase(volume);
    }
    assertThat(volumeMeta(replica)).contains("\"BackingFilePath\":\"" + file() + "\"");
  }

  @Test
  void replicaOfLonghornIsAdoptedOnTheImageThatItNames() throws Exception {
    Files.delete(replica.directory().resolve("holdfast/base"));
    engine.provisionReplica(on(replica));
    try (OpenVolume volume = open()) {
      assertBase(volume);
    }
    Files.delete(replica.directory().resolve("holdfast/base"));
    Path meta = replica.directory().resolve("volume.meta");
    Files.writeString(meta, volumeMeta(replica).replace("debian-12-6f0e", "debian-12-other"));
    assertThat(refusal(() -> engine.provisionReplica(on(replica)))).isEqualTo(ErrorCode.INVALID);
  }

  @Test
  void backingFileElsewhereIsRefused() throws Exception {
    Files.delete(replica.directory().resolve("holdfast/base"));
    Path meta = replica.directory().resolve("volume.meta");
    String before = volumeMeta(replica);
    for (String path :
        List.of(
            "/etc/passwd",
            "/x/backing-images/../backing",
            "/x/backing-images/other-1/backing",
            "backing")) {
      String changed = before.replace(file().toString(), path);
      Files.writeString(meta, changed);
      assertThatThrownBy(this::open).hasMessageContaining("is not a backing image of this disk");
      assertThat(volumeMeta(replica)).isEqualTo(changed);
    }
  }

  @Test
  void alteredFileIsRefusedUntilItsContentIsConfirmed() throws Exception {
    open().close();
    Files.setLastModifiedTime(file(), FileTime.from(Instant.EPOCH));
    assertThat(engine.inspectBase(base).orElseThrow().altered()).isTrue();
    assertThatThrownBy(this::open).hasMessageContaining("was changed at");
    assertThat(refusal(() -> engine.provisionReplica(on(replica("w")))))
        .isEqualTo(ErrorCode.INVALID);
    assertThat(refusal(() -> engine.confirmBase(base.withContentChecksum(""))))
        .isEqualTo(ErrorCode.INVALID);
    engine.openBase(base).close();
    engine.confirmBase(base);
    assertThat(engine.inspectBase(base).orElseThrow().altered()).isFalse();
    open().close();
  }

  @Test
  void replicaWithoutItsBaseIsRefusedAndLeftAsItIs() throws Exception {
    open().close();
    Path away = disk.resolve("away");
    Files.move(file().getParent(), away, StandardCopyOption.ATOMIC_MOVE);
    assertThatThrownBy(this::open)
        .hasMessageContaining("backing image debian-12 is not complete on this disk");
    Files.move(away, file().getParent(), StandardCopyOption.ATOMIC_MOVE);
    try (OpenVolume volume = open()) {
      assertBase(volume);
    }
  }

  @Test
  void replicaThatCannotBeReadKeepsItsBase() throws Exception {
    Files.writeString(replica.directory().resolve("holdfast/base"), "damaged");
    assertThat(refusal(() -> engine.deleteBase(base))).isEqualTo(ErrorCode.BUSY);
  }

  @Test
  void foreignFolderIsRefusedAndLeftAsItIs() throws Exception {
    BaseLocation foreign = new BaseLocation("foreign", "1", base.disk(), "");
    Path folder = Files.createDirectories(disk.resolve("backing-images/foreign-1"));
    Files.writeString(folder.resolve("backing"), "not yours");
    assertThat(refusal(() -> engine.inspectBase(foreign))).isEqualTo(ErrorCode.INVALID);
    assertThat(refusal(() -> engine.createBase(foreign, BASE))).isEqualTo(ErrorCode.INVALID);
    assertThat(refusal(() -> engine.deleteBase(foreign))).isEqualTo(ErrorCode.INVALID);
    assertThat(folder.resolve("backing")).hasContent("not yours");
    assertThat(engine.bases(base.disk())).containsExactly(base.withContentChecksum(""));
  }

  // The mark of shared layers and the path of the base are one field of volume.meta.
  @Test
  void sharedLayersKeepThePathOfTheBase() throws Exception {
    ReplicaLocation clone = replica("clone");
    try (SnapshotVolume volume = (SnapshotVolume) open()) {
      volume.createSnapshot(new SnapshotRequest("s1", true, Instant.EPOCH, Map.of()));
      engine.cloneReplica(clone, SIZE, new SnapshotContent(replica, "s1", "of-s1"));
      assertThat(volumeMeta(replica)).contains(MARK + ":" + file() + "\"");
    }
    assertThat(volumeMeta(clone)).contains(MARK + ":" + file() + "\"");
    try (OpenVolume volume = open(clone, new InMemoryRegister())) {
      assertBase(volume);
    }
    engine.deleteReplica(clone);
    try (OpenVolume volume = open()) {
      assertBase(volume);
      assertThat(volumeMeta(replica)).contains("\"BackingFilePath\":\"" + file() + "\"");
    }
  }
}
