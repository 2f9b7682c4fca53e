package dev.holdfast.vm.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.DeviceMapper;
import dev.holdfast.host.Filesystem;
import dev.holdfast.host.HostFilesystems;
import dev.holdfast.host.HostMounts;
import dev.holdfast.host.LuksDevices;
import dev.holdfast.host.LuksKey;
import dev.holdfast.host.MapperTarget;
import dev.holdfast.host.ProgramCall;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An encrypted filesystem on a device that grows, on a real kernel, driven from outside. */
@Tag("slow")
class StorageVmTest {
  private static final long MIB_SECTORS = 2048;
  private static final Path MOUNT = Path.of("/run/storage");

  @TempDir private static Path folder;
  private static VmHost vm;

  @BeforeAll
  static void boot() throws Exception {
    vm =
        VmHost.start(
            VmOptions.of("dm-mod", "dm-crypt", "aes", "xts")
                .withDisk(folder.resolve("a"), "128M")
                .withDisk(folder.resolve("b"), "32M"));
  }

  @AfterAll
  static void off() throws Exception {
    vm.close();
  }

  private static String sh(String script) throws StorageException {
    return vm.check(ProgramCall.of(Duration.ofMinutes(1), List.of("/bin/sh", "-c", script)));
  }

  private static LuksKey key(String passphrase) {
    return new LuksKey(passphrase, Optional.empty(), "aes-xts-plain64", "sha256", 256, "pbkdf2");
  }

  private static List<MapperTarget> mebibytes(long count) {
    return List.of(MapperTarget.linear(0, count * MIB_SECTORS, "/dev/vda", 0));
  }

  @Test
  void encryptedFilesystemIsMadeMountedGrownAndFoundAgain() throws Exception {
    DeviceMapper mapper = new DeviceMapper(vm);
    LuksDevices luks = new LuksDevices(vm);
    HostFilesystems filesystems = new HostFilesystems(vm);
    HostMounts mounts = new HostMounts(vm);
    mapper.create("hf-grows", "", mebibytes(64));

    String clear = luks.open("hf-clear", "/dev/mapper/hf-grows", key("one"), false);
    assertThat(filesystems.filesystemOn(clear, Optional.of(Filesystem.EXT4))).isEqualTo("ext4");
    assertThat(filesystems.filesystemOn(clear, Optional.empty())).isEqualTo("ext4");
    Path point = filesystems.mountPoint(MOUNT);
    filesystems.mount(clear, "ext4", point);
    filesystems.mount(clear, "ext4", point);
    assertThat(mounts.at(point).orElseThrow().filesystem()).isEqualTo("ext4");
    assertThat(mounts.of(clear)).hasSize(1);
    sh("echo content > /run/storage/file");

    mapper.reload("hf-grows", mebibytes(128));
    mapper.suspend("hf-grows", DeviceMapper.Suspension.ORDERLY);
    mapper.resume("hf-grows");
    luks.grow("hf-clear");
    assertThat(vm.files().size(Path.of(clear))).isEqualTo((128 - 16) * MIB_SECTORS * 512);
    long before = blocks();
    filesystems.grow(clear, "ext4", point);
    assertThat(blocks()).isGreaterThan(before);

    filesystems.unmount(clear, point);
    filesystems.unmount(clear, point);
    assertThat(mounts.at(point)).isEmpty();
    luks.close("hf-clear");
    assertThatThrownBy(() -> luks.open("hf-clear", "/dev/mapper/hf-grows", key("two"), false))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN));
    assertThatThrownBy(() -> filesystems.filesystemOn("/dev/mapper/hf-grows", Optional.empty()))
        .hasMessageContaining("crypto_LUKS");

    String again = luks.open("hf-clear", "/dev/mapper/hf-grows", key("one"), false);
    filesystems.check(again, "ext4", point);
    filesystems.mount(again, "ext4", point);
    assertThat(sh("cat /run/storage/file")).isEqualTo("content");
    assertThat(sh("ls /dev/shm")).isEmpty();
    filesystems.unmount(again, point);
    luks.close("hf-clear");
    mapper.remove("hf-grows");
  }

  @Test
  void encryptedDeviceWithoutFilesystemGetsOneUnlessAUserHasWrittenToIt() throws Exception {
    DeviceMapper mapper = new DeviceMapper(vm);
    mapper.create("hf-raw", "", List.of(MapperTarget.linear(0, 32 * MIB_SECTORS, "/dev/vdb", 0)));
    RecordingHost host = new RecordingHost(vm);
    host.crash(command -> command.contains("luksFormat"), RecordingHost.Moment.AFTER);
    assertThatThrownBy(() -> encrypted(host)).isInstanceOf(HostCrash.class);
    host.restart();
    String clear = encrypted(host);
    HostFilesystems filesystems = new HostFilesystems(host);

    for (long offset : List.of(4096L, vm.files().size(Path.of(clear)) - 512)) {
      // The page cache of either device then holds what an earlier look has read or a user wrote.
      String edges = "dd if=%s bs=1M iflag=fullblock %s of=/dev/null 2>/dev/null; ";
      sh(
          edges.formatted("/dev/mapper/hf-raw", "skip=16")
              + edges.formatted(clear, "")
              + "printf %s 'bytes of a user' | dd bs=1 conv=notrunc of="
              + clear
              + " seek="
              + offset);
      assertThatThrownBy(() -> filesystems.filesystemOn(clear, Optional.of(Filesystem.EXT4)))
          .hasMessageContaining(clear + " holds data");
      String read = "dd if=" + clear + " bs=1 count=15 skip=" + offset + " 2>/dev/null";
      assertThat(sh(read + "; blkdiscard " + clear)).isEqualTo("bytes of a user");
    }

    host.crash(command -> command.get(0).endsWith("mkfs.ext4"), RecordingHost.Moment.BEFORE);
    assertThatThrownBy(() -> filesystems.filesystemOn(clear, Optional.empty()))
        .isInstanceOf(HostCrash.class);
    host.restart();
    assertThat(filesystems.filesystemOn(clear, Optional.empty())).isEqualTo("ext4");

    new LuksDevices(vm).close("hf-raw-clear");
    mapper.remove("hf-raw");
  }

  private static String encrypted(RecordingHost host) throws StorageException {
    return new LuksDevices(host).open("hf-raw-clear", "/dev/mapper/hf-raw", key("one"), false);
  }

  private static long blocks() throws StorageException {
    return Long.parseLong(sh("stat -f -c %b /run/storage"));
  }
}
