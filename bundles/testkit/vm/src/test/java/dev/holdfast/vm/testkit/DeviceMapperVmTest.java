package dev.holdfast.vm.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.DeviceMapper;
import dev.holdfast.host.DeviceMapper.Suspension;
import dev.holdfast.host.HostProcess;
import dev.holdfast.host.MappedDevice;
import dev.holdfast.host.MapperTarget;
import dev.holdfast.host.ProgramCall;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The device mapper of a real kernel, driven from outside. */
@Tag("slow")
class DeviceMapperVmTest {
  private static final long SECTORS = 8192;
  private static final String NAME = "hf-test";

  @TempDir private static Path folder;
  private static VmHost vm;
  private static DeviceMapper mapper;

  @BeforeAll
  static void boot() throws Exception {
    vm =
        VmHost.start(
            VmOptions.of("dm-mod")
                .withDisk(folder.resolve("a"), "16M")
                .withDisk(folder.resolve("b"), "16M"));
    mapper = new DeviceMapper(vm);
  }

  @AfterAll
  static void off() throws Exception {
    vm.close();
  }

  @AfterEach
  void removeAll() throws Exception {
    for (MappedDevice device : mapper.list()) {
      mapper.resume(device.name());
    }
    for (String name : List.of(NAME, NAME + "-l")) {
      mapper.remove(name);
    }
  }

  private static String sh(String script) throws StorageException {
    return vm.check(ProgramCall.of(Duration.ofMinutes(1), List.of("/bin/sh", "-c", script)));
  }

  private static List<MapperTarget> on(String disk) {
    return List.of(MapperTarget.linear(0, SECTORS, disk, 8));
  }

  private static MappedDevice device(String name) throws StorageException {
    return mapper.find(name).orElseThrow();
  }

  private static void assertCode(ErrorCode code, Attempt attempt) {
    assertThatThrownBy(attempt::run)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
  }

  private interface Attempt {
    void run() throws StorageException;
  }

  @Test
  void deviceIsCreatedFoundAndRemoved() throws Exception {
    assertThat(mapper.find(NAME)).isEmpty();
    mapper.create(NAME, "HOLDFAST-1", on("/dev/vda"));

    MappedDevice device = device(NAME);
    assertThat(device)
        .isEqualTo(new MappedDevice(NAME, "HOLDFAST-1", device.number(), false, true, false, 0));
    assertThat(vm.files().deviceNumber(Path.of(device.path()))).contains(device.number());
    assertThat(vm.files().size(Path.of(device.path()))).isEqualTo(SECTORS * 512);
    assertThat(mapper.list()).containsExactly(device);
    assertThat(mapper.table(NAME)).hasSize(1);
    assertThat(mapper.table(NAME).get(0).type()).isEqualTo("linear");
    assertThat(mapper.table(NAME).get(0).arguments()).endsWith(" 8");
    assertThat(mapper.status(NAME)).containsExactly(new MapperTarget(0, SECTORS, "linear", ""));
    assertCode(ErrorCode.ALREADY_EXISTS, () -> mapper.create(NAME, "", on("/dev/vda")));
    assertCode(
        ErrorCode.ALREADY_EXISTS, () -> mapper.create("other", "HOLDFAST-1", on("/dev/vda")));
    assertThat(mapper.find("other")).isEmpty();

    mapper.remove(NAME);
    mapper.remove(NAME);
    assertThat(mapper.find(NAME)).isEmpty();
    assertThat(mapper.list()).isEmpty();
  }

  @Test
  void tablesThatTheKernelRefusesAreInvalid() throws Exception {
    assertCode(
        ErrorCode.INVALID,
        () -> mapper.create(NAME, "", List.of(new MapperTarget(0, 8, "linear", "/dev/null 0"))));
    assertCode(ErrorCode.INVALID, () -> mapper.create(NAME, "", on("/dev/absent")));
    sh("mkfs.ext4 -q /dev/vdb && mkdir -p /run/b && mount /dev/vdb /run/b");
    assertCode(ErrorCode.BUSY, () -> mapper.create(NAME, "", on("/dev/vdb")));
    sh("umount /run/b");
    assertThat(mapper.find(NAME)).isEmpty();
    mapper.create(NAME, "", on("/dev/vda"));
    assertCode(
        ErrorCode.INVALID,
        () -> mapper.reload(NAME, List.of(new MapperTarget(0, 8, "no-such-target", "x"))));
    assertThat(device(NAME).inactiveTable()).isFalse();
  }

  @Test
  void callsForAbsentDevicesFail() {
    assertCode(ErrorCode.NOT_FOUND, () -> mapper.reload("absent", on("/dev/vda")));
    assertCode(ErrorCode.NOT_FOUND, () -> mapper.suspend("absent", Suspension.AT_ONCE));
    assertCode(ErrorCode.NOT_FOUND, () -> mapper.resume("absent"));
    assertCode(ErrorCode.NOT_FOUND, () -> mapper.table("absent"));
    assertCode(ErrorCode.NOT_FOUND, () -> mapper.status("absent"));
  }

  @Test
  void writeWaitsWhileTheTableBelowIsReplacedAndReachesTheNewDisk() throws Exception {
    mapper.create(NAME + "-l", "", on("/dev/vda"));
    mapper.create(NAME, "", List.of(MapperTarget.linear(0, SECTORS, "/dev/mapper/hf-test-l", 0)));
    sh("printf before | dd of=/dev/mapper/hf-test bs=512 conv=sync oflag=direct status=none");

    mapper.suspend(NAME, Suspension.AT_ONCE);
    mapper.suspend(NAME, Suspension.AT_ONCE);
    assertThat(device(NAME).suspended()).isTrue();
    HostProcess writer =
        vm.start(
            List.of(
                "/bin/sh",
                "-c",
                "printf after | dd of=/dev/mapper/hf-test bs=512 conv=sync oflag=direct"));
    sh("while ! grep -qs dd /proc/[0-9]*/comm; do sleep 0.05; done");
    mapper.suspend(NAME + "-l", Suspension.AT_ONCE);
    mapper.reload(NAME + "-l", on("/dev/vdb"));
    assertThat(device(NAME + "-l").inactiveTable()).isTrue();
    mapper.resume(NAME + "-l");
    assertThat(device(NAME + "-l").inactiveTable()).isFalse();
    assertThat(writer.exit()).isNotDone();
    mapper.resume(NAME);
    mapper.resume(NAME);

    assertThat(writer.exit().get(1, TimeUnit.MINUTES)).isZero();
    assertThat(sh("dd if=/dev/vda bs=512 skip=8 count=1 status=none | tr -d '\\0'"))
        .isEqualTo("before");
    assertThat(sh("dd if=/dev/vdb bs=512 skip=8 count=1 status=none | tr -d '\\0'"))
        .isEqualTo("after");
  }

  @Test
  void errorTargetFailsRequests() throws Exception {
    mapper.create(NAME, "", List.of(MapperTarget.error(0, SECTORS)));
    assertThatThrownBy(() -> sh("dd if=/dev/mapper/hf-test of=/dev/null count=1 status=none"))
        .hasMessageContaining("Input/output error");
  }

  @Test
  void deviceInUseIsNotRemoved() throws Exception {
    mapper.create(NAME, "", on("/dev/vda"));
    HostProcess user = vm.start(List.of("/bin/sh", "-c", "cat 3< /dev/mapper/hf-test"));
    sh("while [ $(dmsetup info -c --noheadings -o open hf-test) = 0 ]; do sleep 0.05; done");
    assertCode(ErrorCode.BUSY, () -> mapper.remove(NAME));
    assertThat(device(NAME).openCount()).isEqualTo(1);
    user.input().close();
    assertThat(user.exit().get(1, TimeUnit.MINUTES)).isZero();
    mapper.remove(NAME);
  }

  @Test
  void mountedFilesystemIsFrozenByAnOrderlySuspension() throws Exception {
    mapper.create(NAME, "", on("/dev/vda"));
    sh("mkfs.ext4 -q /dev/mapper/hf-test && mkdir -p /run/m && mount /dev/mapper/hf-test /run/m");
    try {
      sh("echo content > /run/m/file");
      mapper.suspend(NAME, Suspension.ORDERLY);
      // What was written is on the disk: a copy needs no repair of its journal.
      sh("dd if=/dev/vda bs=512 skip=8 count=" + SECTORS + " of=/run/copy status=none");
      sh("e2fsck -fn /run/copy && debugfs -R 'cat file' /run/copy 2>/dev/null | grep -q content");
    } finally {
      mapper.resume(NAME);
      sh("umount /run/m");
    }
  }
}
