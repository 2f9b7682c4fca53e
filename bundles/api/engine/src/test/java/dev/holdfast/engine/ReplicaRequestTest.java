package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Engines that were written before there was one request for all contents. */
class ReplicaRequestTest {
  private static final ReplicaLocation HERE =
      new ReplicaLocation("v", "v-r-1", "node-1", Path.of("/disk"), "v-r-1");
  private static final long SIZE = 1 << 20;

  private final List<String> calls = new ArrayList<>();

  /** An engine of version 2.0. */
  private class OldEngine implements EngineProvider {
    @Override
    public String name() {
      return "old";
    }

    @Override
    public Set<EngineCapability> capabilities() {
      return Set.of();
    }

    @Override
    public void provisionReplica(ReplicaLocation replica, long sizeBytes) {
      calls.add("empty " + replica.replica() + " " + sizeBytes);
    }

    @Override
    public void deleteReplica(ReplicaLocation replica) {}

    @Override
    public Optional<ReplicaInfo> inspectReplica(ReplicaLocation replica) {
      return Optional.empty();
    }

    @Override
    public OpenVolume open(OpenRequest request) {
      throw new IllegalStateException("not opened here");
    }
  }

  /** One that shares content. */
  private final class OldCloningEngine extends OldEngine implements LinkedCloneEngine {
    @Override
    public void cloneReplica(ReplicaLocation replica, long sizeBytes, SnapshotContent content) {
      calls.add("clone " + replica.replica() + " " + sizeBytes + " " + content.snapshot());
    }
  }

  private static ReplicaRequest request(InitialContent content, Map<String, String> options) {
    return new ReplicaRequest(HERE, SIZE, content, options);
  }

  @Test
  void emptyContentIsMadeByTheOlderMethod() throws Exception {
    new OldEngine().provisionReplica(request(new EmptyContent(), Map.of()));
    assertThat(calls).containsExactly("empty v-r-1 " + SIZE);
  }

  @Test
  void snapshotContentIsMadeByTheOlderMethod() throws Exception {
    new OldCloningEngine()
        .provisionReplica(request(new SnapshotContent(HERE, "s1", "id"), Map.of()));
    assertThat(calls).containsExactly("clone v-r-1 " + SIZE + " s1");
  }

  @Test
  void snapshotContentIsRefusedByAnEngineThatCannotShareIt() {
    assertThatThrownBy(
            () ->
                new OldEngine()
                    .provisionReplica(request(new SnapshotContent(HERE, "s1", "id"), Map.of())))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED))
        .hasMessageContaining("old cannot share the content of a snapshot");
    assertThat(calls).isEmpty();
  }

  @Test
  void optionsAreRefusedByAnEngineThatHasNone() {
    assertThatThrownBy(
            () ->
                new OldEngine()
                    .provisionReplica(request(new EmptyContent(), Map.of("mode", "thin"))))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED))
        .hasMessageContaining("mode");
    assertThat(calls).isEmpty();
  }

  @Test
  void aReplicaOutsideADirectoryHasNoDirectory() {
    DiskLocation device =
        new DiskLocation("node-1", "disk-1", DiskKind.DEVICE, Path.of("/dev/sdb"));
    ReplicaLocation replica = new ReplicaLocation("v", "v-r-1", device, "v-r-1", false);
    assertThatIllegalStateException()
        .isThrownBy(replica::directory)
        .withMessageContaining("/dev/sdb is not a directory");
    assertThat(HERE.directory()).isEqualTo(Path.of("/disk/replicas/v-r-1"));
    assertThat(HERE.disk()).isEqualTo(DiskLocation.directory("node-1", Path.of("/disk")));
  }

  @Test
  void theDefaultOfAnOptionIsAllowed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new EngineOption("mode", Set.of("thin", "linear"), "thick", false))
        .withMessageContaining("defaultValue");
  }
}
