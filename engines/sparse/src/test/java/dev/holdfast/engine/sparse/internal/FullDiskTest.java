package dev.holdfast.engine.sparse.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Disks that fill up: file systems of a few MiB in memory. */
class FullDiskTest {
  private static final long SIZE = 64L << 20;
  private static final int PIECE = 1_000_000;

  @TempDir private Path root;
  private final List<Path> mounted = new ArrayList<>();
  private final InMemoryRegister register = new InMemoryRegister();
  private final RecordingListener listener = new RecordingListener();
  private SparseEngine engine;

  @BeforeEach
  void start() throws Exception {
    engine = new SparseEngine();
  }

  @AfterEach
  void unmount() throws Exception {
    engine.stop();
    for (Path disk : mounted) {
      new ProcessBuilder("umount", disk.toString()).start().waitFor();
    }
  }

  private Path disk(String name, int mebibytes) throws Exception {
    Path disk = Files.createDirectories(root.resolve(name));
    Process mount =
        new ProcessBuilder(
                "mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "tmpfs", disk.toString())
            .start();
    assumeTrue(mount.waitFor() == 0, "mounting a small file system needs root");
    mounted.add(disk);
    return disk;
  }

  private OpenVolume open(Path... disks) throws Exception {
    List<ReplicaLocation> replicas = new ArrayList<>();
    for (Path disk : disks) {
      String name = "v-r-" + (replicas.size() + 1);
      ReplicaLocation replica = new ReplicaLocation("v", name, "n", disk, name);
      engine.provisionReplica(replica, SIZE);
      replicas.add(replica);
    }
    return engine.open(new OpenRequest("v", SIZE, "n", replicas, register, listener));
  }

  private static byte[] piece(int value) {
    byte[] content = new byte[PIECE];
    Arrays.fill(content, (byte) value);
    return content;
  }

  /** Writes pieces until one fails. Returns the number of successful writes. */
  private static int fill(DeviceIo io) throws StorageException {
    for (int i = 0; (i + 1L) * PIECE <= SIZE; i++) {
      try {
        io.write((long) i * PIECE, piece(i + 1));
      } catch (StorageException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.NO_SPACE);
        return i;
      }
    }
    throw new AssertionError("the disk did not fill up");
  }

  private static void checkGoesOn(DeviceIo io, int written) throws StorageException {
    for (int i = 0; i < written; i++) {
      assertThat(Arrays.equals(io.read((long) i * PIECE, PIECE), piece(i + 1))).isTrue();
    }
    io.write(0, piece(99));
    io.flush();
  }

  @Test
  void volumeReportsFullDiskAndServesWhenSpaceReturns() throws Exception {
    Path disk = disk("only", 8);
    byte[] filler = new byte[3 << 20];
    Files.write(disk.resolve("filler"), filler);
    try (OpenVolume volume = open(disk)) {
      DeviceIo io = new DeviceIo(volume.device());
      int written = fill(io);
      assertThat(written).isPositive();
      checkGoesOn(io, written);
      Files.delete(disk.resolve("filler"));
      io.write((long) written * PIECE, piece(7));
      assertThat(io.read((long) written * PIECE, PIECE)).isEqualTo(piece(7));
      assertThat(volume.replicas()).containsEntry("v-r-1", MemberMode.RW);
    }
  }

  @Test
  void replicasOnOneFullDiskStayEqualAndMembers() throws Exception {
    Path disk = disk("shared", 12);
    int written;
    try (OpenVolume volume = open(disk, disk, disk)) {
      DeviceIo io = new DeviceIo(volume.device());
      written = fill(io);
      checkGoesOn(io, written);
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW).hasSize(3);
      io.trim(0, 2L * PIECE);
      io.write((long) written * PIECE, piece(7));
    }
    assertThat(register.record().members()).hasSize(3);
    byte[] first = head(disk, 1);
    assertThat(Arrays.equals(head(disk, 2), first)).isTrue();
    assertThat(Arrays.equals(head(disk, 3), first)).isTrue();
  }

  private static byte[] head(Path disk, int replica) throws Exception {
    return Files.readAllBytes(disk.resolve("replicas/v-r-" + replica + "/volume-head-000.img"));
  }

  @Test
  void oneFullDiskOfSeveralIsDropped() throws Exception {
    try (OpenVolume volume = open(disk("large", 80), disk("small", 8))) {
      DeviceIo io = new DeviceIo(volume.device());
      for (int i = 0; (i + 1L) * PIECE <= SIZE; i++) {
        io.write((long) i * PIECE, piece(i + 1));
      }
      assertThat(volume.replicas())
          .containsEntry("v-r-1", MemberMode.RW)
          .containsEntry("v-r-2", MemberMode.ERR);
      assertThat(listener.modes()).containsEntry("v-r-2", MemberMode.ERR);
      assertThat(register.record().members()).hasSize(1);
      assertThat(io.read(60L * PIECE, PIECE)).isEqualTo(piece(61));
    }
  }
}
