package dev.holdfast.mounts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.client.VolumeRequest;
import dev.holdfast.client.Waiting;
import dev.holdfast.controller.testkit.FakeControllers;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.initiator.HostProgram;
import dev.holdfast.mounts.DiskImage.Format;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.snapshot.SnapshotStatus;
import dev.holdfast.resource.volume.Volume;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Images through a real NBD server and the real qemu-img; the controllers are pretended. */
class ImagesTest extends HostStoreTest {
  private static final int SIZE = 8 << 20;
  private static final VolumeRequest DEMO = VolumeRequest.of("demo", "");

  @TempDir private Path folder;
  private Images images;
  private Process server;
  private Path served;

  @BeforeEach
  void serve() throws Exception {
    images = new Images(store, Clock.systemUTC(), folder);
    served = folder.resolve("served");
    try (RandomAccessFile file = new RandomAccessFile(served.toFile(), "rw")) {
      file.setLength(SIZE);
    }
    Path socket = folder.resolve("socket");
    Path ready = folder.resolve("ready");
    server =
        new ProcessBuilder(
                HostProgram.require("nbdkit", "nbdkit").toString(),
                "--foreground",
                "--unix",
                socket.toString(),
                "--pidfile",
                ready.toString(),
                "file",
                served.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    while (!Files.exists(ready) && server.isAlive()) {
      Thread.onSpinWait();
    }
    controllers.serveAt("nbd+unix:///?socket=" + socket);
  }

  @AfterEach
  void stopServing() throws Exception {
    server.destroy();
    server.waitFor();
  }

  private Path content(String name, int size) throws Exception {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    Arrays.fill(bytes, 1 << 20, 3 << 20, (byte) 0);
    return Files.write(folder.resolve(name), bytes);
  }

  private void convert(Path from, Path to) throws Exception {
    HostProgram.check(
        Duration.ofSeconds(60),
        List.of(
            HostProgram.require("qemu-img", "qemu-utils").toString(),
            "convert",
            "-O",
            "qcow2",
            from.toString(),
            to.toString()));
  }

  private void assertServed(Path expected) throws Exception {
    byte[] bytes = Files.readAllBytes(expected);
    assertThat(Arrays.copyOf(Files.readAllBytes(served), bytes.length)).isEqualTo(bytes);
  }

  @Test
  void aQcow2ImageBecomesAVolume() throws Exception {
    Path raw = content("raw", SIZE);
    Path file = folder.resolve("disk.qcow2");
    convert(raw, file);
    Volume volume = images.importImage(DEMO, DiskImage.inspect(file, Optional.empty()), PATIENT);
    assertServed(raw);
    assertThat(volume.spec().size()).isEqualTo(new Quantity(SIZE));
    assertThat(volume.metadata().annotations())
        .doesNotContainKey(Volume.IMPORT_UNFINISHED_ANNOTATION);
    assertThat(store.get(VolumeAttachment.KIND, "demo").orElseThrow().spec().attachmentTickets())
        .isEmpty();
  }

  @Test
  void importReportsItsProgress() throws Exception {
    DiskImage image = DiskImage.inspect(content("raw", SIZE), Optional.of(Format.RAW));
    List<String> lines = new CopyOnWriteArrayList<>();
    images.importImage(DEMO, image, new Waiting(PATIENT.timeout(), lines::add));
    assertThat(lines).contains("volume demo: 100 % copied").hasSizeBetween(3, 13);
  }

  @Test
  void failureOfTheProgramIsReportedWithItsMessage() {
    Conversion conversion = new Conversion("volume demo", line -> {});
    assertFails(
            ErrorCode.IO,
            () ->
                conversion.run(
                    "/usr/bin/qemu-img", List.of("-O", "raw", "/nonexistent", "/nonexistent2")))
        .hasMessageContaining("Could not open '/nonexistent'");
  }

  @Test
  void interruptedImportIsMarkedAndRepeated() throws Exception {
    Path raw = content("raw", SIZE - 512);
    DiskImage image = DiskImage.inspect(raw, Optional.of(Format.RAW));
    controllers.holdBackAttaching();
    assertFails(ErrorCode.TIMEOUT, () -> images.importImage(DEMO, image, SHORT));
    Volume broken = volumes.get("demo");
    assertThat(broken.spec().size()).isEqualTo(new Quantity(SIZE));
    assertThat(broken.metadata().annotations())
        .containsEntry(Volume.IMPORT_UNFINISHED_ANNOTATION, raw.toString());
    controllers.attachAgain();
    images.importImage(DEMO, image, PATIENT);
    assertServed(raw);
    assertFails(ErrorCode.ALREADY_EXISTS, () -> images.importImage(DEMO, image, PATIENT));
  }

  @Test
  void aSizeThatIsTooSmallIsRefused() throws Exception {
    DiskImage image = DiskImage.inspect(content("raw", SIZE), Optional.of(Format.RAW));
    assertFails(
            ErrorCode.INVALID,
            () -> images.importImage(VolumeRequest.of("demo", "4Mi"), image, PATIENT))
        .hasMessageContaining("at least 8Mi");
  }

  private void taken(long sizeBytes) throws Exception {
    volumes.create(VolumeRequest.of("demo", "8Mi"), PATIENT);
    SnapshotStatus status =
        SnapshotStatus.EMPTY
            .withReadyToUse(true)
            .withCreationTime(Optional.of(FakeControllers.THEN))
            .withRestoreSize(new Quantity(sizeBytes))
            .withEndpoint("nbd+unix:///?socket=" + folder.resolve("socket"));
    store.create(
        Snapshot.of("demo.first", SnapshotSpec.EMPTY.withVolume("demo").withSnapshotName("first"))
            .withStatus(status));
  }

  @Test
  void aSnapshotIsWrittenIntoAFileWithItsHoles() throws Exception {
    Files.write(served, Files.readAllBytes(content("raw", SIZE)));
    taken(SIZE);
    Path file = folder.resolve("out.raw");
    images.exportImage("demo", Optional.of("first"), file, Format.RAW, PATIENT);
    assertThat(file).hasSameBinaryContentAs(served);
    assertThat(allocated(file)).isLessThan(SIZE - (1 << 20));
    assertThat(snapshotIsExported()).isFalse();
    assertFails(
        ErrorCode.ALREADY_EXISTS,
        () -> images.exportImage("demo", Optional.of("first"), file, Format.RAW, PATIENT));
  }

  @Test
  void aFileOfAnotherSizeIsNotKept() throws Exception {
    taken(SIZE / 2);
    Path file = folder.resolve("out.qcow2");
    assertFails(
            ErrorCode.IO,
            () -> images.exportImage("demo", Optional.of("first"), file, Format.QCOW2, PATIENT))
        .hasMessageContaining("has 4194304 bytes, the image 8388608");
    assertThat(file).doesNotExist();
    assertThat(folder.resolve("out.qcow2.part")).doesNotExist();
    assertThat(snapshotIsExported()).isFalse();
  }

  private static long allocated(Path file) throws Exception {
    return 512
        * Long.parseLong(
            HostProgram.check(
                Duration.ofSeconds(30), List.of("/usr/bin/stat", "-c", "%b", file.toString())));
  }

  private boolean snapshotIsExported() throws Exception {
    return store.get(Snapshot.KIND, "demo.first").orElseThrow().spec().exported();
  }

  private Snapshot first() throws Exception {
    return store.get(Snapshot.KIND, "demo.first").orElseThrow();
  }

  @Test
  void snapshotShowsTheClientThatExportsIt() throws Exception {
    taken(SIZE);
    List<Snapshot> seen = new CopyOnWriteArrayList<>();
    Waiting watching =
        new Waiting(
            PATIENT.timeout(),
            line -> {
              try {
                seen.add(first());
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    images.exportImage("demo", Optional.of("first"), folder.resolve("out"), Format.RAW, watching);
    assertThat(seen).isNotEmpty();
    assertThat(seen).allSatisfy(s -> assertThat(s.exportClients()).hasSize(1));
    assertThat(seen).allSatisfy(s -> assertThat(s.spec().exported()).isTrue());
    assertThat(first().exportClients()).isEmpty();
    assertThat(first().spec().exported()).isFalse();
  }

  @Test
  void leaseChangesWithEachRenewalAndEndsWithTheLastClient() throws Exception {
    taken(SIZE);
    ExportLease one = ExportLease.take(first(), "one", store, Clock.systemUTC());
    Map<String, String> before = first().exportClients();
    one.renew();
    assertThat(first().exportClients().keySet()).isEqualTo(before.keySet());
    assertThat(first().exportClients()).isNotEqualTo(before);
    ExportLease two = ExportLease.take(first(), "two", store, Clock.systemUTC());
    one.close();
    assertThat(first().spec().exported()).isTrue();
    two.close();
    assertThat(first().spec().exported()).isFalse();
    one.renew();
    assertThat(first().exportClients()).isEmpty();
  }

  @Test
  void snapshotThatAUserExportedStaysExported() throws Exception {
    taken(SIZE);
    store.update(first().withSpec(first().spec().withExported(true)));
    ExportLease.take(first(), "one", store, Clock.systemUTC()).close();
    assertThat(first().spec().exported()).isTrue();
    assertThat(first().exportClients()).isEmpty();
  }

  @Test
  void ticketOfAnAdmittedNodeExpiresAndEndsWithTheLease() throws Exception {
    taken(SIZE);
    ExportLease lease = ExportLease.take(first(), "one", store, Clock.systemUTC());
    lease.admit("node-1");
    assertThat(tickets().get("api-export-one").expiresAt()).isPresent();
    lease.close();
    assertThat(tickets()).isEmpty();
  }

  private Map<String, AttachmentTicket> tickets() throws Exception {
    return store.get(VolumeAttachment.KIND, "demo").orElseThrow().spec().attachmentTickets();
  }
}
