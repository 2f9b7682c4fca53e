package dev.holdfast.engine.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.EmptyContent;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ReplicaRequest;
import dev.holdfast.error.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Creation, inspection and removal of replicas. */
abstract class ProvisioningTests extends EngineTests {
  ProvisioningTests(EngineLab lab) {
    super(lab);
  }

  @Test
  final void nothingIsThereBefore() throws Exception {
    assertThat(engine.inspectReplica(location(1))).as("a replica that was never made").isEmpty();
  }

  @Test
  final void newReplicaHasItsSizeAndIsClean() throws Exception {
    engine.provisionReplica(location(1), SIZE);
    ReplicaInfo info = engine.inspectReplica(location(1)).orElseThrow();
    assertThat(info.sizeBytes()).as("size of a new replica").isEqualTo(SIZE);
    assertThat(info.usedBytes())
        .as("used bytes of a new, empty replica, less than its size")
        .isLessThan(SIZE);
    assertThat(info.clean()).as("a new replica is clean").isTrue();
  }

  @Test
  final void provisioningAgainKeepsTheData() throws Exception {
    List<ReplicaLocation> replicas = provisioned(1);
    byte[] content = bytes(4096);
    try (OpenVolume volume = open(replicas)) {
      io(volume).write(8192, content);
    }
    engine.provisionReplica(replicas.get(0), SIZE);
    try (OpenVolume volume = open(replicas)) {
      assertContent(io(volume).read(8192, 4096), content);
    }
  }

  @Test
  final void oneRequestMakesAnEmptyReplica() throws Exception {
    Map<String, String> options = new TreeMap<>();
    engine.options().forEach(option -> options.put(option.name(), option.defaultValue()));
    engine.provisionReplica(new ReplicaRequest(location(1), SIZE, new EmptyContent(), options));
    try (OpenVolume volume = open(List.of(location(1)))) {
      assertThat(io(volume).read(0, 4096)).containsOnly(0);
    }
  }

  @Test
  final void anotherSizeIsRefused() throws Exception {
    engine.provisionReplica(location(1), SIZE);
    assertThat(failureOf(() -> engine.provisionReplica(location(1), 2 * SIZE)))
        .isEqualTo(ErrorCode.INVALID);
    assertThat(engine.inspectReplica(location(1)).orElseThrow().sizeBytes()).isEqualTo(SIZE);
  }

  @Test
  final void anotherVolumesReplicaIsRefused() throws Exception {
    engine.provisionReplica(location(1), SIZE);
    ReplicaLocation here = location(1);
    ReplicaLocation other =
        new ReplicaLocation("other", "other-r-1", here.disk(), here.directoryName(), false);
    assertThat(failureOf(() -> engine.provisionReplica(other, SIZE))).isEqualTo(ErrorCode.INVALID);
  }

  @Test
  final void deletedReplicaIsGoneAndAsNewWhenMadeAgain() throws Exception {
    List<ReplicaLocation> replicas = provisioned(1);
    try (OpenVolume volume = open(replicas)) {
      io(volume).write(0, bytes(4096));
    }
    engine.deleteReplica(replicas.get(0));
    assertThat(engine.inspectReplica(replicas.get(0))).as("a deleted replica").isEmpty();
    engine.deleteReplica(replicas.get(0));
    engine.provisionReplica(replicas.get(0), SIZE);
    register.put(dev.holdfast.engine.Membership.NONE);
    try (OpenVolume volume = open(replicas)) {
      assertThat(io(volume).read(0, 4096)).containsOnly(0);
    }
  }

  @Test
  final void openReplicaIsNotDeleted() throws Exception {
    List<ReplicaLocation> replicas = provisioned(1);
    byte[] content = bytes(4096);
    try (OpenVolume volume = open(replicas)) {
      io(volume).write(0, content);
      assertThat(failureOf(() -> engine.deleteReplica(replicas.get(0)))).isEqualTo(ErrorCode.BUSY);
      assertContent(io(volume).read(0, 4096), content);
    }
    engine.deleteReplica(replicas.get(0));
    assertThat(engine.inspectReplica(replicas.get(0))).as("a deleted replica").isEmpty();
  }

  @Test
  final void foreignDirectoryIsRefusedAndLeftAsItIs() throws Exception {
    assumeTrue(
        has(EngineCapability.DURABLE) && location(1).disk().kind() == DiskKind.DIRECTORY,
        "an engine without files meets no foreign ones");
    Path directory = Files.createDirectories(location(1).directory());
    Files.writeString(directory.resolve("precious.txt"), "not yours");
    Map<String, String> before = tree(directory);
    assertThat(failureOf(() -> engine.provisionReplica(location(1), SIZE)))
        .isEqualTo(ErrorCode.INVALID);
    assertThat(failureOf(() -> engine.inspectReplica(location(1)))).isEqualTo(ErrorCode.INVALID);
    assertThat(failureOf(() -> engine.deleteReplica(location(1)))).isEqualTo(ErrorCode.INVALID);
    failureOf(() -> open(List.of(location(1))));
    assertThat(tree(directory)).isEqualTo(before);
  }

  private static Map<String, String> tree(Path root) throws Exception {
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path : (Iterable<Path>) paths::iterator) {
        files.put(
            root.relativize(path).toString(),
            Files.isDirectory(path) ? "folder" : Files.readString(path));
      }
    }
    return files;
  }
}
