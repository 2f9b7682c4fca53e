package dev.holdfast.mounts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.client.VolumeRequest;
import dev.holdfast.client.Waiting;
import dev.holdfast.controller.testkit.FakeControllers;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostProgram;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A directory that the real engine of Longhorn v1 wrote is written layer by layer through a volume
 * that a real NBD server serves. A snapshot of the volume is a copy of the server's file.
 */
class LayeredImportTest extends HostStoreTest {
  private static final Path FIXTURE =
      Path.of("../../../engines/sparse/src/test/resources/longhorn-v1");
  private static final int SIZE = 64 << 20;
  private static final String HEAD = "volume-head-002.img";

  @TempDir private Path folder;
  private final Map<String, String> taken = new ConcurrentHashMap<>();
  private final List<String> copied = new ArrayList<>();
  private Path source;
  private Path served;
  private Process server;
  private final ExecutorService worker = Executors.newSingleThreadExecutor();
  private Watch engine;
  private volatile boolean taking = true;

  @BeforeEach
  void serve() throws Exception {
    source = Files.createDirectories(folder.resolve("longhorn"));
    HostProgram.check(
        PATIENT.timeout(),
        List.of(
            HostProgram.require("tar", "tar").toString(),
            "-S",
            "--zstd",
            "-C",
            source.toString(),
            "-xf",
            FIXTURE.resolve("replica.tar.zst").toString()));
    served = folder.resolve("served");
    try (RandomAccessFile file = new RandomAccessFile(served.toFile(), "rw")) {
      file.setLength(SIZE);
    }
    Path run = Files.createDirectories(folder.resolve("run"));
    Files.writeString(run.resolve("nbd.address"), "127.0.0.1:10809");
    Path ready = folder.resolve("ready");
    server =
        new ProcessBuilder(
                HostProgram.require("nbdkit", "nbdkit").toString(),
                "--foreground",
                "--unix=" + run.resolve("nbd.sock"),
                "--pidfile=" + ready,
                "file",
                served.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    while (!Files.exists(ready) && server.isAlive()) {
      Thread.onSpinWait();
    }
    followSnapshots();
  }

  @AfterEach
  void stopServing() throws Exception {
    engine.close();
    worker.shutdown();
    server.destroy();
    server.waitFor();
  }

  /** Takes snapshots as an engine does. */
  private void followSnapshots() throws Exception {
    engine =
        store.watch(
            Snapshot.KIND,
            store.list(Snapshot.KIND, LabelSelector.ALL).resourceVersion(),
            new WatchListener<Snapshot>() {
              @Override
              public void changed(WatchEvent<Snapshot> event) {
                if (taking && event.resource().status().creationTime().isEmpty()) {
                  worker.execute(() -> take(event.resource()));
                }
              }

              @Override
              public void ended(StorageException cause) {
                throw new IllegalStateException(cause);
              }
            });
  }

  private void take(Snapshot snapshot) {
    try {
      taken.put(snapshot.nameInVolume(), sha256(served));
      controllers.status(
          Snapshot.KIND,
          snapshot.name(),
          one ->
              one.withStatus(
                  SnapshotStatus.EMPTY
                      .withReadyToUse(true)
                      .withCreationTime(Optional.of(FakeControllers.THEN))));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static String sha256(Path file) throws Exception {
    return HexFormat.of()
        .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
  }

  private static String expected(String content) throws IOException {
    return Files.readAllLines(FIXTURE.resolve("content.sha256")).stream()
        .filter(line -> line.endsWith("  " + content))
        .map(line -> line.substring(0, line.indexOf(' ')))
        .findFirst()
        .orElseThrow();
  }

  private Volume run(String engineName, Waiting waiting) throws StorageException {
    VolumeRequest request =
        VolumeRequest.of(
            "demo", "", OptionalInt.of(2), Optional.of(engineName), Optional.of("nvmeof"));
    return new LayeredImport(store, Clock.systemUTC(), folder)
        .run(request, LonghornReplica.inspect(source), waiting);
  }

  private Volume run(String engineName) throws StorageException {
    return run(
        engineName,
        new Waiting(
            PATIENT.timeout(),
            line -> {
              if (line.contains("copies layer")) {
                copied.add(line);
              }
            }));
  }

  private Snapshot snapshot(String name) throws StorageException {
    return store.get(Snapshot.KIND, Snapshot.nameFor("demo", name)).orElseThrow();
  }

  @Test
  void layersBecomeSnapshotsWithTheirTimesAndLabels() throws Exception {
    Volume volume = run("spdk");
    assertThat(taken).containsEntry("snap1", expected("snap1"));
    assertThat(taken).containsEntry("snap2", expected("snap2"));
    assertThat(sha256(served)).isEqualTo(expected("head"));
    assertThat(snapshot("snap1").spec().labels()).isEqualTo(Map.of("purpose", "fixture"));
    assertThat(snapshot("snap1").metadata().annotations())
        .containsEntry(Snapshot.CREATED_ANNOTATION, "2026-11-20T23:22:57Z");
    assertThat(snapshot("snap2").metadata().annotations())
        .containsEntry(Snapshot.CREATED_ANNOTATION, "2026-11-20T23:22:58Z");
    assertThat(volume.spec().dataEngine()).isEqualTo("spdk");
    assertThat(volume.spec().frontend()).isEqualTo("nvmeof");
    assertThat(volume.spec().numberOfReplicas()).isEqualTo(2);
    assertThat(volume.spec().size()).isEqualTo(new Quantity(SIZE));
    assertThat(volume.metadata().annotations())
        .doesNotContainKey(Volume.IMPORT_UNFINISHED_ANNOTATION);
    assertFails(ErrorCode.ALREADY_EXISTS, () -> run("spdk"));
  }

  /** Bytes of the served file that are allocated. */
  private long allocated() throws Exception {
    String blocks =
        HostProgram.check(
            PATIENT.timeout(), List.of("/usr/bin/stat", "-c", "%b", served.toString()));
    return Long.parseLong(blocks) * 512;
  }

  @Test
  void holesAreNotWrittenAndZeroesThatAreDataAre() throws Exception {
    try (FileChannel head = FileChannel.open(source.resolve(HEAD), StandardOpenOption.WRITE)) {
      head.write(ByteBuffer.allocate(1 << 20), 8 << 20);
      head.force(true);
    }
    run("spdk");
    byte[] content = Files.readAllBytes(served);
    for (int offset = 8 << 20; offset < 9 << 20; offset++) {
      assertThat(content[offset]).isZero();
    }
    long layers = 0;
    for (ReplicaLayer layer : ImportedLayers.of(LonghornReplica.inspect(source)).layers()) {
      layers +=
          512
              * Long.parseLong(
                  HostProgram.check(
                      PATIENT.timeout(),
                      List.of("/usr/bin/stat", "-c", "%b", layer.file().toString())));
    }
    assertThat(allocated()).isLessThanOrEqualTo(layers).isLessThan(8 << 20);
  }

  @Test
  void interruptedImportContinuesWithTheFirstLayerThatHasNoSnapshot() throws Exception {
    taking = false;
    assertFails(ErrorCode.TIMEOUT, () -> run("spdk", SHORT));
    assertThat(snapshot("snap1").status().readyToUse()).isFalse();
    taking = true;
    take(snapshot("snap1"));
    Volume volume = run("spdk");
    assertThat(copied)
        .containsExactly("volume demo: copies layer 2 of 3", "volume demo: copies layer 3 of 3");
    assertThat(taken).containsEntry("snap1", expected("snap1"));
    assertThat(sha256(served)).isEqualTo(expected("head"));
    assertThat(volume.metadata().annotations())
        .doesNotContainKey(Volume.IMPORT_UNFINISHED_ANNOTATION);
  }

  @Test
  void interruptedImportOfAnotherEngineIsRefused() throws Exception {
    taking = false;
    assertFails(ErrorCode.TIMEOUT, () -> run("spdk", SHORT));
    assertFails(ErrorCode.INVALID, () -> run("lvm"))
        .hasMessageContaining(
            "began with the engine spdk: delete it, or import with --engine spdk");
  }

  private void edit(String file, String from, String to) throws IOException {
    Path path = source.resolve(file);
    String content = Files.readString(path);
    assertThat(content).contains(from);
    Files.writeString(path, content.replace(from, to));
  }

  @Test
  void deletedSnapshotIsPartOfTheNextOne() throws Exception {
    edit("volume-snap-snap1.img.meta", "\"Removed\":false", "\"Removed\":true");
    run("spdk");
    assertThat(taken).containsOnlyKeys("snap2").containsEntry("snap2", expected("snap2"));
  }

  @Test
  void replicaThatCannotBeImportedIsRefusedBeforeAnythingIsDone() throws Exception {
    edit("volume-snap-snap2.img.meta", "2026-11-20T23:22:58Z", "yesterday");
    assertFails(ErrorCode.INVALID, () -> run("spdk"))
        .hasMessageContaining("volume-snap-snap2.img.meta: Created: 'yesterday' is not a time");
    edit("volume-snap-snap2.img.meta", "yesterday", "2026-11-20T23:22:58Z");
    edit(HEAD + ".meta", "volume-snap-snap2.img", "volume-snap-snap1.img");
    assertFails(ErrorCode.UNSUPPORTED, () -> run("spdk"))
        .hasMessageContaining("is not based on the snapshots [snap2]: delete them first");
    edit("volume.meta", "\"BackingFilePath\":\"\"", "\"BackingFilePath\":\"/x/backing\"");
    assertFails(ErrorCode.UNSUPPORTED, () -> run("spdk"))
        .hasMessageContaining("is based on the backing file /x/backing");
    assertFails(ErrorCode.INVALID, () -> run("spdk", Waiting.none()));
    assertThat(store.get(Volume.KIND, "demo")).isEmpty();
  }
}
