package dev.holdfast.engine.spdk.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.DiskInfo;
import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.engine.spdk.simulator.SimulatedTarget;
import dev.holdfast.engine.spdk.simulator.fabric.Fabric;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Disks over a simulated target. Files stand for devices. */
class SpdkDisksTest {
  private static final long SIZE = 64L << 20;

  @TempDir Path folder;
  private SimulatedTarget process;
  private SpdkTarget target;
  private SpdkDisks disks;

  @BeforeEach
  void start() throws Exception {
    startProcess();
    target = new SpdkTarget(folder.resolve("s"));
    disks = new SpdkDisks(target, folder.resolve("classes"));
  }

  private void startProcess() throws Exception {
    process = SimulatedTarget.start(folder.resolve("s"), new Fabric(), Path::of);
  }

  @AfterEach
  void stop() throws Exception {
    target.close();
    process.close();
  }

  private DiskLocation disk(String name, long size) throws Exception {
    Path file = folder.resolve(name);
    try (RandomAccessFile device = new RandomAccessFile(file.toFile(), "rw")) {
      device.setLength(size);
    }
    return new DiskLocation("node-1", "", DiskKind.DEVICE, file);
  }

  private static void write(DiskLocation disk, long offset, String text) throws Exception {
    try (RandomAccessFile device = new RandomAccessFile(disk.path().toFile(), "rw")) {
      device.seek(offset);
      device.write(text.getBytes(StandardCharsets.ISO_8859_1));
    }
  }

  private static void assertFails(ErrorCode code, String words, ThrowingCallable call) {
    StorageException failure = catchThrowableOfType(StorageException.class, call);
    assertThat(failure).isNotNull().hasMessageContaining(words);
    assertThat(failure.code()).as(failure.getMessage()).isEqualTo(code);
  }

  private JsonNode call(String method, ObjectNode params) throws StorageException {
    return target.call(method, params);
  }

  @Test
  void inspectionOfABlankDiskFindsNothingAndChangesNothing() throws Exception {
    DiskLocation disk = disk("d", SIZE);
    byte[] before = Files.readAllBytes(disk.path());
    assertThat(disks.inspect(disk)).isEmpty();
    assertThat(Files.readAllBytes(disk.path())).isEqualTo(before);
    assertThat(call("bdev_get_bdevs", SpdkTarget.params())).isEmpty();
  }

  @Test
  void preparedDiskKeepsItsIdentityAcrossARestartOfTheTarget() throws Exception {
    DiskLocation disk = disk("d", SIZE);
    DiskInfo first = disks.prepare(disk);
    assertThat(disks.prepare(disk)).isEqualTo(first);
    assertThat(first.sizeBytes()).isBetween(SIZE * 9 / 10, SIZE);
    assertThat(first.freeBytes()).isEqualTo(first.sizeBytes());
    assertThat(first.shared()).isFalse();
    assertThat(disks.prepare(disk("other", SIZE)).identity()).isNotEqualTo(first.identity());
    process.kill();
    startProcess();
    assertThat(disks.inspect(disk)).contains(first);
  }

  @ParameterizedTest
  @CsvSource({
    "0, XFSB, an XFS filesystem",
    "512, EFI PART, a GPT partition table",
    "1080, S\u00ef, an ext filesystem",
    "512, LABELONE, an LVM physical volume",
    "2000000, x, data of an unknown format",
    "67108863, x, data of an unknown format",
  })
  void diskThatHoldsSomethingIsRefusedByNameAndLeftAsItIs(long offset, String text, String name)
      throws Exception {
    DiskLocation disk = disk("d", SIZE);
    write(disk, offset, text);
    byte[] before = Files.readAllBytes(disk.path());
    assertFails(ErrorCode.INVALID, "holds " + name, () -> disks.inspect(disk));
    assertFails(ErrorCode.INVALID, "holds " + name, () -> disks.prepare(disk));
    assertThat(Files.readAllBytes(disk.path())).isEqualTo(before);
  }

  @Test
  void storeOfAnotherProgramIsRefusedAndLeftAsItIs() throws Exception {
    DiskLocation disk = disk("d", SIZE);
    var unused =
        call(
            "bdev_aio_create",
            SpdkTarget.params()
                .put("name", "mine")
                .put("filename", disk.path().toString())
                .put("block_size", 4_096));
    unused =
        call(
            "bdev_lvol_create_lvstore",
            SpdkTarget.params().put("bdev_name", "mine").put("lvs_name", "precious"));
    unused = call("bdev_aio_delete", SpdkTarget.params().put("name", "mine"));
    byte[] before = Files.readAllBytes(disk.path());
    assertFails(ErrorCode.INVALID, "named precious", () -> disks.inspect(disk));
    assertFails(ErrorCode.INVALID, "named precious", () -> disks.prepare(disk));
    assertThat(Files.readAllBytes(disk.path())).isEqualTo(before);
    assertThat(call("bdev_get_bdevs", SpdkTarget.params())).isEmpty();
  }

  @Test
  void releasedDiskKeepsItsVolumesAndAUsedOneIsNotReleased() throws Exception {
    DiskLocation disk = disk("d", SIZE);
    String identity = disks.prepare(disk).identity();
    String store = SpdkDisks.deviceName(disk.path());
    var unused =
        call(
            "bdev_lvol_create",
            SpdkTarget.params()
                .put("lvs_name", store)
                .put("lvol_name", "r")
                .put("size_in_mib", 16)
                .put("thin_provision", true));
    unused = call("nvmf_create_subsystem", SpdkTarget.params().put("nqn", "nqn.x:r"));
    ObjectNode namespace = SpdkTarget.params().put("nqn", "nqn.x:r");
    namespace.putObject("namespace").put("bdev_name", store + "/r");
    unused = call("nvmf_subsystem_add_ns", namespace);
    assertFails(ErrorCode.BUSY, store + "/r is in use", () -> disks.release(disk));
    unused = call("nvmf_delete_subsystem", SpdkTarget.params().put("nqn", "nqn.x:r"));
    disks.release(disk);
    disks.release(disk);
    assertThat(call("bdev_get_bdevs", SpdkTarget.params())).isEmpty();
    assertThat(disks.prepare(disk).identity()).isEqualTo(identity);
    assertThat(call("bdev_lvol_get_lvols", SpdkTarget.params()).path(0).path("name").asText())
        .isEqualTo("r");
  }

  @Test
  void preparationThatWasCutOffIsRepeated() throws Exception {
    DiskLocation disk = disk("d", SIZE);
    var unused =
        call(
            "bdev_aio_create",
            SpdkTarget.params()
                .put("name", SpdkDisks.deviceName(disk.path()))
                .put("filename", disk.path().toString())
                .put("block_size", 4_096));
    assertThat(disks.prepare(disk).identity()).isNotEmpty();
  }

  @Test
  void wrongPathsAndSizesAreRefused() throws Exception {
    DiskLocation absent = new DiskLocation("node-1", "", DiskKind.DEVICE, folder.resolve("absent"));
    assertFails(ErrorCode.NOT_FOUND, "does not exist", () -> disks.inspect(absent));
    DiskLocation directory = new DiskLocation("node-1", "", DiskKind.DEVICE, folder);
    assertFails(ErrorCode.INVALID, "is a directory", () -> disks.inspect(directory));
    DiskLocation small = disk("small", 1 << 20);
    assertFails(ErrorCode.NO_SPACE, "at least 16 MiB", () -> disks.prepare(small));
  }

  @Test
  void targetThatDoesNotRunIsUnreachable() throws Exception {
    DiskLocation disk = disk("d", SIZE);
    process.kill();
    assertFails(ErrorCode.UNREACHABLE, "SPDK target", () -> disks.inspect(disk));
  }

  @ParameterizedTest
  @CsvSource({"write through, true", "write back, false"})
  void diskWithAVolatileWriteCacheIsNotDurable(String mode, boolean durable) throws Exception {
    DiskLocation disk = disk("d", SIZE);
    Path queue = Files.createDirectories(folder.resolve("classes/d/queue"));
    Files.writeString(queue.resolve("write_cache"), mode + "\n");
    assertThat(disks.prepare(disk).durable()).isEqualTo(durable);
  }
}
