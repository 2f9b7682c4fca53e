package dev.holdfast.engine.lvm.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.EmptyContent;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ReplicaRequest;
import dev.holdfast.engine.SnapshotContent;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.testkit.EngineLab;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Volumes with the option {@code mode=linear}, in a group of one node and in a shared one. */
final class LinearVolumeTest {
  private static final long SIZE = 4L << 20;

  @TempDir private Path folder;
  private final InMemoryRegister register = new InMemoryRegister();

  /** Kind of the group. */
  @SuppressWarnings("ImmutableEnumChecker") // lambdas without state
  private enum Group {
    LOCAL(SimulatedLab::new),
    SHARED(SharedLab::new);

    private final Supplier<EngineLab> lab;

    Group(Supplier<EngineLab> lab) {
      this.lab = lab;
    }
  }

  private static void assertRefused(ErrorCode code, String message, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code))
        .hasMessageContaining(message);
  }

  private static ReplicaRequest linear(ReplicaLocation location, String wipe) {
    return new ReplicaRequest(
        location, SIZE, new EmptyContent(), Map.of("mode", "linear", "wipe", wipe));
  }

  private LvmVolume open(LvmEngine engine, ReplicaLocation location, long size) throws Exception {
    return (LvmVolume)
        engine.open(
            new OpenRequest(
                "vol", size, "node-1", List.of(location), register, new RecordingListener()));
  }

  private static byte[] block(int value) {
    byte[] block = new byte[4096];
    Arrays.fill(block, (byte) value);
    return block;
  }

  @ParameterizedTest
  @EnumSource
  void linearVolumeKeepsItsBytesAndHasNoSnapshots(Group group) throws Exception {
    EngineLab lab = group.lab.get();
    LvmEngine engine = (LvmEngine) lab.start();
    ReplicaLocation location =
        new ReplicaLocation("vol", "vol-r", lab.disk(folder, 1), "vol-1", false);
    var unused = engine.prepareDisk(location.disk());
    engine.provisionReplica(linear(location, "full"));
    try (LvmVolume volume = open(engine, location, SIZE)) {
      DeviceIo io = new DeviceIo(volume.device());
      assertThat(io.read(0, (int) SIZE)).as("a wiped volume").containsOnly(0);
      io.write(0, block(1));
      io.write(SIZE - 4096, block(2));
      io.zero(4096, 4096, 0);
      io.flush();
      assertRefused(
          ErrorCode.UNSUPPORTED,
          "mode=thin",
          () -> volume.createSnapshot(new SnapshotRequest("s", true, Instant.EPOCH, Map.of())));
    }
    lab.kill(engine);
    engine = (LvmEngine) lab.start();
    try (LvmVolume volume = open(engine, location, SIZE)) {
      DeviceIo io = new DeviceIo(volume.device());
      assertThat(io.read(0, 4096)).isEqualTo(block(1));
      assertThat(io.read(SIZE - 4096, 4096)).isEqualTo(block(2));
      grow(group, volume);
    }
    refuseClone(engine, location);
    engine.deleteReplica(location);
    assertThat(engine.inspectReplica(location)).isEmpty();
    lab.stop(engine);
  }

  /** LVM extends a shared linear volume only where it is not active. */
  private static void grow(Group group, LvmVolume volume) throws Exception {
    switch (group) {
      case LOCAL -> {
        volume.expand(2 * SIZE);
        DeviceIo io = new DeviceIo(volume.device());
        assertThat(io.read(SIZE, 4096)).as("the new part").containsOnly(0);
        assertThat(io.read(0, 4096)).isEqualTo(block(1));
      }
      case SHARED ->
          assertRefused(ErrorCode.UNSUPPORTED, "detach it first", () -> volume.expand(2 * SIZE));
    }
  }

  private static void refuseClone(LvmEngine engine, ReplicaLocation source) {
    ReplicaLocation clone =
        new ReplicaLocation("clone", "clone-r", source.disk(), "clone-1", false);
    ReplicaRequest request =
        new ReplicaRequest(
            clone,
            SIZE,
            new SnapshotContent(source, "s", "s"),
            Map.of("mode", "linear", "wipe", "full"));
    assertRefused(ErrorCode.UNSUPPORTED, "mode=thin", () -> engine.provisionReplica(request));
  }
}
