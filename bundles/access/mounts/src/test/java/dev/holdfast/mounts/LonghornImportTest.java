package dev.holdfast.mounts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.client.Waiting;
import dev.holdfast.controller.testkit.FakeControllers;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.resource.image.BackingImageStatus;
import dev.holdfast.resource.image.DiskFileStatus;
import dev.holdfast.resource.image.ImageState;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.snapshot.SnapshotStatus;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A directory that the real engine of Longhorn v1 wrote becomes a volume's first replica. */
class LonghornImportTest extends HostStoreTest {
  private static final Path ARCHIVE =
      Path.of("../../../engines/sparse/src/test/resources/longhorn-v1/replica.tar.zst");
  private static final String META = "volume.meta";

  @TempDir private Path folder;
  private Path source;
  private Path disk;

  @BeforeEach
  void unpack() throws Exception {
    source = Files.createDirectories(folder.resolve("longhorn/replicas/vol1"));
    disk = Files.createDirectories(folder.resolve("disk"));
    Process tar =
        new ProcessBuilder(
                "tar", "-S", "--zstd", "-C", source.toString(), "-xf", ARCHIVE.toString())
            .inheritIO()
            .start();
    assumeTrue(tar.waitFor() == 0, "tar with zstd is needed to unpack the replica");
    Files.writeString(disk.resolve("longhorn-disk.cfg"), "{\"diskUUID\":\"uuid-of-d1\"}");
    controllers.update(
        Node.KIND,
        "node-1",
        node ->
            node.withSpec(
                node.spec().withDisks(Map.of("d1", DiskSpec.EMPTY.withPath(disk.toString())))));
    while (store.get(Node.KIND, "node-1").orElseThrow().status().diskStatus().isEmpty()) {
      Thread.onSpinWait();
    }
  }

  private Map<String, String> content(Path directory) throws IOException {
    Map<String, String> content = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        content.put(
            file.getFileName().toString(),
            Files.size(file) + " " + Files.mismatch(file, source.resolve(file.getFileName())));
      }
    }
    return content;
  }

  private Volume run(OptionalInt replicas) throws Exception {
    return run(Optional.empty(), replicas);
  }

  private Volume run(Optional<String> image, OptionalInt replicas) throws Exception {
    return new LonghornImport(store)
        .run(
            "demo",
            LonghornReplica.inspect(source),
            image,
            replicas,
            new Waiting(PATIENT.timeout(), this::tellSnapshots));
  }

  /** As the engine does once it has the volume open. */
  private void tellSnapshots(String line) {
    try {
      for (String name : List.of("snap1", "snap2")) {
        if (line.contains("snapshot " + name)) {
          SnapshotStatus status =
              SnapshotStatus.EMPTY
                  .withReadyToUse(true)
                  .withCreationTime(Optional.of(FakeControllers.THEN));
          store.create(
              Snapshot.of(
                      Snapshot.nameFor("demo", name),
                      SnapshotSpec.EMPTY.withVolume("demo").withSnapshotName(name))
                  .withStatus(status));
        }
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void inspectionReportsTheReplica() throws Exception {
    LonghornReplica replica = LonghornReplica.inspect(source);
    assertThat(replica.sizeBytes()).isEqualTo(64 << 20);
    assertThat(replica.snapshots()).containsExactlyInAnyOrder("snap1", "snap2");
    assertThat(replica.files())
        .containsExactlyInAnyOrder(
            META,
            "revision.counter",
            "volume-head-002.img",
            "volume-head-002.img.meta",
            "volume-snap-snap1.img",
            "volume-snap-snap1.img.meta",
            "volume-snap-snap2.img",
            "volume-snap-snap2.img.meta");
  }

  @Test
  void directoryBecomesTheFirstReplica() throws Exception {
    Map<String, String> before = content(source);
    Volume volume = run(OptionalInt.empty());
    assertThat(volume.spec().numberOfReplicas()).isEqualTo(3);
    assertThat(volume.spec().size()).isEqualTo(new Quantity(64 << 20));
    assertThat(volume.metadata().annotations())
        .doesNotContainKey(Volume.IMPORT_UNFINISHED_ANNOTATION);
    Replica replica = store.list(Replica.KIND, LabelSelector.ALL).items().get(0);
    assertThat(replica.spec().nodeID()).isEqualTo("node-1");
    assertThat(replica.spec().diskID()).isEqualTo("d1");
    assertThat(replica.spec().size()).isEqualTo(volume.spec().size());
    assertThat(replica.metadata().ownerReferences()).hasSize(1);
    Path copy = disk.resolve("replicas").resolve(replica.spec().dataDirectoryName());
    assertThat(content(copy)).isEqualTo(before);
    assertThat(content(source)).isEqualTo(before);
    try (Stream<Path> all = Files.list(disk.resolve("replicas"))) {
      assertThat(all).containsExactly(copy);
    }
    assertFails(ErrorCode.ALREADY_EXISTS, () -> run(OptionalInt.empty()));
  }

  @Test
  void interruptedImportContinues() throws Exception {
    controllers.holdBackAttaching();
    assertFails(
        ErrorCode.TIMEOUT,
        () ->
            new LonghornImport(store)
                .run(
                    "demo",
                    LonghornReplica.inspect(source),
                    Optional.empty(),
                    OptionalInt.of(2),
                    SHORT));
    Volume unfinished = store.get(Volume.KIND, "demo").orElseThrow();
    assertThat(unfinished.spec().numberOfReplicas()).isEqualTo(1);
    assertThat(unfinished.metadata().annotations())
        .containsEntry(Volume.IMPORT_UNFINISHED_ANNOTATION, source.toString());
    controllers.attachAgain();
    assertThat(run(OptionalInt.of(2)).spec().numberOfReplicas()).isEqualTo(2);
    assertThat(store.list(Replica.KIND, LabelSelector.ALL).items()).hasSize(1);
  }

  @Test
  void importWithoutWaitingIsRefusedBeforeAnythingIsDone() throws Exception {
    assertFails(
        ErrorCode.INVALID,
        () ->
            new LonghornImport(store)
                .run(
                    "demo",
                    LonghornReplica.inspect(source),
                    Optional.empty(),
                    OptionalInt.of(2),
                    Waiting.none()));
    assertThat(disk.resolve("replicas")).doesNotExist();
    assertThat(store.get(Volume.KIND, "demo")).isEmpty();
  }

  @Test
  void zeroesThatAreDataAreNotMadeHoles() throws Exception {
    Path layer = source.resolve("volume-snap-snap2.img");
    long blocksBefore = blocks(layer);
    try (FileChannel channel = FileChannel.open(layer, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(1 << 20), 32 << 20);
      channel.force(true);
    }
    assertThat(blocks(layer)).isGreaterThan(blocksBefore);
    Path copy = folder.resolve("copy");
    new DirectoryCopy(source, List.of("volume-snap-snap2.img")).to(copy, at -> {});
    assertThat(blocks(copy.resolve("volume-snap-snap2.img"))).isEqualTo(blocks(layer));
  }

  private static long blocks(Path file) throws Exception {
    Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
    return Long.parseLong(
        new String(stat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip());
  }

  /** The path of the backing file as Longhorn's container saw it. */
  private void standOn(String path) throws IOException {
    edit(META, "\"BackingFilePath\":\"\"", "\"BackingFilePath\":\"" + path + "\"");
  }

  private Path backingFile() throws IOException {
    standOn("/host/var/lib/longhorn/backing-images/debian-0a1b/backing");
    Path file = folder.resolve("longhorn/backing-images/debian-0a1b/backing");
    Files.createDirectories(file.getParent());
    return Files.writeString(file, "a".repeat(8192));
  }

  /** Adds the image "base", of a file with this checksum, which no disk has yet. */
  private void addImage(String checksum, long size) throws Exception {
    BackingImageStatus status =
        BackingImageStatus.EMPTY
            .withUuid("6f0e")
            .withChecksum(checksum)
            .withVirtualSize(new Quantity(size))
            .withConditions(
                List.of(
                    new Condition(
                        Condition.READY,
                        Condition.Status.TRUE,
                        "Ready",
                        "",
                        FakeControllers.THEN)));
    store.create(BackingImage.of("base", BackingImageSpec.EMPTY.withSourceType("upload")));
    controllers.status(BackingImage.KIND, "base", image -> image.withStatus(status));
  }

  private static String sha512(Path file) throws Exception {
    byte[] digest = MessageDigest.getInstance("SHA-512").digest(Files.readAllBytes(file));
    return HexFormat.of().formatHex(digest);
  }

  /** Does what the image controller does once a disk is to have the image. */
  private void copyImage() throws Exception {
    controllers.status(
        BackingImage.KIND,
        "base",
        image ->
            image.spec().diskFileSpecMap().containsKey("uuid-of-d1")
                ? image.withStatus(
                    image
                        .status()
                        .withDiskFileStatusMap(
                            Map.of("uuid-of-d1", DiskFileStatus.EMPTY.withState(ImageState.READY))))
                : image);
  }

  @Test
  void replicaOnABackingFileUsesTheImageOfTheSameFile() throws Exception {
    addImage(sha512(backingFile()), 8192);
    Map<String, String> before = content(source);
    CompletableFuture<Void> copying =
        CompletableFuture.runAsync(
            () -> {
              try {
                while (store
                    .get(BackingImage.KIND, "base")
                    .orElseThrow()
                    .spec()
                    .diskFileSpecMap()
                    .isEmpty()) {
                  Thread.onSpinWait();
                }
                copyImage();
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    Volume volume = run(Optional.of("base"), OptionalInt.of(2));
    copying.join();
    assertThat(volume.spec().backingImage()).isEqualTo("base");
    assertThat(content(source)).isEqualTo(before);
    Replica replica = store.list(Replica.KIND, LabelSelector.ALL).items().get(0);
    Path copy = disk.resolve("replicas").resolve(replica.spec().dataDirectoryName());
    assertThat(copy.resolve(META))
        .content()
        .contains("\"BackingFilePath\":\"" + disk.resolve("backing-images/base-6f0e/backing"))
        .contains("\"Head\":\"volume-head-002.img\"");
  }

  @Test
  void replicaThatSharesLayersHasNoBackingFile() throws Exception {
    standOn("holdfast:shares-layers");
    assertThat(LonghornReplica.inspect(source).backingFile()).isEmpty();
    edit(META, "holdfast:shares-layers", "holdfast:shares-layers:/d/backing-images/a-1/backing");
    assertThat(LonghornReplica.inspect(source).backingFile())
        .isEqualTo("/d/backing-images/a-1/backing");
  }

  @Test
  void imageOfAnotherFileIsRefused() throws Exception {
    Path file = backingFile();
    addImage("ab".repeat(64), 8192);
    assertFails(ErrorCode.INVALID, () -> run(Optional.of("base"), OptionalInt.empty()))
        .hasMessageContaining("image base was made of a file with the SHA-512 abab")
        .hasMessageContaining("holdfast image upload NAME " + file);
    assertThat(disk.resolve("replicas")).doesNotExist();
    assertThat(store.get(Volume.KIND, "demo")).isEmpty();
  }

  @Test
  void imageThatIsMissingOrNotNeededIsRefused() throws Exception {
    assertFails(ErrorCode.INVALID, () -> run(Optional.of("base"), OptionalInt.empty()))
        .hasMessageContaining("it has no backing file: leave it out");
    Path file = backingFile();
    assertFails(ErrorCode.INVALID, () -> run(OptionalInt.empty()))
        .hasMessageContaining("holdfast image upload NAME " + file)
        .hasMessageContaining("--image");
    assertFails(ErrorCode.NOT_FOUND, () -> run(Optional.of("base"), OptionalInt.empty()))
        .hasMessageContaining("base");
    addImage(sha512(file), 128 << 20);
    assertFails(ErrorCode.INVALID, () -> run(Optional.of("base"), OptionalInt.empty()))
        .hasMessageContaining("image base has 134217728 bytes, its volume only 67108864");
    Files.delete(file);
    assertFails(ErrorCode.INVALID, () -> run(Optional.of("base"), OptionalInt.empty()))
        .hasMessageContaining("copy its folder there");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "backing",
        "/etc/passwd",
        "/x/backing-images/../backing",
        "/x/backing-images/a/../../secret/backing",
        "/x/backing-images/other-1/backing"
      })
  void pathsThatAreNotBackingFilesAreRefused(String path) throws Exception {
    Path secret = folder.resolve("longhorn/secret/backing");
    Files.createDirectories(secret.getParent());
    Files.writeString(secret, "not an image");
    Files.writeString(folder.resolve("longhorn/backing"), "not an image");
    standOn(path);
    assertFails(ErrorCode.INVALID, () -> run(Optional.of("base"), OptionalInt.empty()))
        .hasMessageContaining("its backing file " + path + " is not below");
  }

  @Test
  void missingDiskOfThisHostIsReported() throws Exception {
    Files.writeString(disk.resolve("longhorn-disk.cfg"), "{\"diskUUID\":\"another\"}");
    assertFails(ErrorCode.UNSUPPORTED, () -> run(OptionalInt.empty()))
        .hasMessageContaining("run the command on a node");
    assertThat(store.get(Volume.KIND, "demo")).isEmpty();
  }

  private void edit(String file, String from, String to) throws IOException {
    Path path = source.resolve(file);
    String content = Files.readString(path);
    assertThat(content).contains(from);
    Files.writeString(path, content.replace(from, to));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "volume.meta | \"Dirty\":false | \"Dirty\":true | BUSY | in use",
        "volume.meta | \"Rebuilding\":false | \"Rebuilding\":true | INVALID | not whole",
        "volume.meta | 67108864 | 134217728 | INVALID | its head has",
        "volume.meta | volume-head-002.img | ../head.img | INVALID | its head is",
        "volume.meta | { | [ | INVALID | not JSON",
        "volume-snap-snap2.img.meta | snap-snap1 | snap-none | INVALID | is missing",
        "volume-snap-snap1.img.meta | \"Parent\":\"\" | \"Parent\":\"volume-snap-snap2.img\""
            + " | INVALID | form a cycle",
      })
  void incompleteReplicaIsRejected(String file, String from, String to, ErrorCode code, String why)
      throws Exception {
    edit(file, from, to);
    assertFails(code, () -> LonghornReplica.inspect(source)).hasMessageContaining(why);
  }

  @Test
  void uncleanReplicaOfHoldfastIsTakenUnlessNodeHasItOpen() throws Exception {
    edit(META, "\"Dirty\":false", "\"Dirty\":true");
    Path lock = Files.createDirectory(source.resolve("holdfast")).resolve("lock");
    try (FileChannel channel =
        FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      assertThat(channel.lock().isValid()).isTrue();
      assertFails(ErrorCode.BUSY, () -> LonghornReplica.inspect(source))
          .hasMessageContaining("a node has it open: detach its volume first");
    }
    assertThat(LonghornReplica.inspect(source).files()).contains(META).doesNotContain("holdfast");
  }

  @Test
  void invalidReplicaIsRefused() throws Exception {
    assertFails(ErrorCode.NOT_FOUND, () -> LonghornReplica.inspect(folder.resolve("none")));
    assertFails(ErrorCode.INVALID, () -> LonghornReplica.inspect(folder))
        .hasMessageContaining("not a replica of Longhorn v1");
    Files.delete(source.resolve("volume-snap-snap1.img"));
    Files.createSymbolicLink(source.resolve("volume-snap-snap1.img"), source.resolve(META));
    assertFails(ErrorCode.INVALID, () -> LonghornReplica.inspect(source))
        .hasMessageContaining("is missing");
  }
}
