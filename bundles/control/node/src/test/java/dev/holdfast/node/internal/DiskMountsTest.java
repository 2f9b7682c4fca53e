package dev.holdfast.node.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Disks in the states that the kernel shows: mounted, remounted, broken, full. */
class DiskMountsTest {
  private static final Instant NOW = Instant.parse("2026-11-21T05:00:00Z");
  private static final long IMAGE_BYTES = 32L << 20;

  @TempDir private Path root;
  private final Deque<Path> mounted = new ArrayDeque<>();

  @AfterEach
  void unmountAll() throws Exception {
    while (!mounted.isEmpty()) {
      unmount(mounted.peek());
    }
  }

  private static int run(String... command) throws Exception {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }

  private Path disk(String name) throws IOException {
    return Files.createDirectories(root.resolve(name));
  }

  private void mount(Path on, String... arguments) throws Exception {
    String[] command = new String[arguments.length + 2];
    command[0] = "mount";
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    command[command.length - 1] = on.toString();
    assumeTrue(run(command) == 0, "mounting needs root");
    mounted.push(on);
  }

  private void unmount(Path from) throws Exception {
    assertThat(run("umount", from.toString())).isZero();
    mounted.remove(from);
  }

  private void mountMemory(Path on) throws Exception {
    mount(on, "-t", "tmpfs", "-o", "size=1m", "tmpfs");
  }

  private static DiskStatus observe(Path path, DiskStatus earlier) {
    return DiskProbe.observe("disk-1", DiskSpec.EMPTY.withPath(path.toString()), earlier, NOW);
  }

  private static Condition ready(DiskStatus status) {
    return Condition.find(status.conditions(), DiskProbe.READY).orElseThrow();
  }

  private static String reason(DiskStatus status) {
    return ready(status).reason();
  }

  @Test
  void aFilesystemMountedReadOnlyIsNoticedAndItsReturnToo() throws Exception {
    Path disk = disk("disk");
    mountMemory(disk);
    DiskStatus registered = observe(disk, DiskStatus.EMPTY);
    assertThat(reason(registered)).isEqualTo("DiskReady");
    assertThat(run("mount", "-o", "remount,ro", disk.toString())).isZero();
    DiskStatus readOnly = observe(disk, registered);
    assertThat(reason(readOnly)).isEqualTo("DiskReadOnly");
    assertThat(ready(readOnly).message()).contains(disk.toString(), "Read-only file system");
    assertThat(readOnly.diskUUID()).isEqualTo(registered.diskUUID());
    assertThat(readOnly.storageAvailable()).isEqualTo(Quantity.ZERO);
    assertThat(run("mount", "-o", "remount,rw", disk.toString())).isZero();
    assertThat(reason(observe(disk, readOnly))).isEqualTo("DiskReady");
  }

  @Test
  void aReadOnlyBindMountIsNoticed() throws Exception {
    Path source = disk("source");
    Path disk = disk("disk");
    DiskStatus registered = observe(source, DiskStatus.EMPTY);
    mount(disk, "--bind", source.toString());
    assertThat(run("mount", "-o", "remount,bind,ro", disk.toString())).isZero();
    assertThat(reason(observe(disk, registered))).isEqualTo("DiskReadOnly");
    assertThat(reason(observe(source, registered))).isEqualTo("DiskReady");
  }

  @Test
  void ext4ThatBecameReadOnlyAfterAnErrorIsDetected() throws Exception {
    Path disk = disk("disk");
    Path image = root.resolve("image");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(IMAGE_BYTES);
    }
    assumeTrue(run("mkfs.ext4", "-qF", image.toString()) == 0, "needs mkfs.ext4");
    mount(disk, "-o", "loop,errors=remount-ro", image.toString());
    DiskStatus registered = observe(disk, DiskStatus.EMPTY);
    assertThat(reason(registered)).isEqualTo("DiskReady");
    String device = Path.of(Files.getFileStore(disk).name()).getFileName().toString();
    Files.writeString(Path.of("/sys/fs/ext4", device, "trigger_fs_error"), "1");
    assertThat(reason(observe(disk, registered))).isEqualTo("DiskReadOnly");
  }

  @Test
  void anotherFilesystemOverTheDiskIsNeverWritten() throws Exception {
    Path disk = disk("disk");
    DiskStatus registered = observe(disk, DiskStatus.EMPTY);
    mountMemory(disk);
    DiskStatus covered = observe(disk, registered);
    assertThat(reason(covered)).isEqualTo("DiskAbsent");
    assertThat(disk).isEmptyDirectory();
    unmount(disk);
    assertThat(reason(observe(disk, covered))).isEqualTo("DiskReady");
  }

  @Test
  void aDiskThatIsNotMountedIsNotTakenForItsMountPoint() throws Exception {
    Path disk = disk("disk");
    mountMemory(disk);
    DiskStatus registered = observe(disk, DiskStatus.EMPTY);
    assertThat(registered.mountPoint()).isEqualTo(disk.toString());
    assertThat(registered.filesystem()).isEqualTo("tmpfs tmpfs");
    unmount(disk);
    DiskStatus unmounted = observe(disk, registered);
    assertThat(reason(unmounted)).isEqualTo("DiskAbsent");
    assertThat(ready(unmounted).message()).contains("(tmpfs tmpfs) on " + disk);
    assertThat(unmounted.mountPoint()).isEqualTo(disk.toString());
    assertThat(disk).isEmptyDirectory();
  }

  @Test
  void mountOfAnotherAccountWithANameThatIsNotUtf8LeavesDisksReady() throws Exception {
    Path other = disk("other");
    String make = "cd \"$0\" && mkdir $'x\\377' && mount -t tmpfs tmpfs $'x\\377'";
    assumeTrue(run("bash", "-c", make, other.toString()) == 0, "mounting needs root");
    try {
      DiskStatus status = observe(disk("disk"), DiskStatus.EMPTY);
      assertThat(reason(status)).as(ready(status).message()).isEqualTo("DiskReady");
      assertThat(status.mountPoint()).isNotEmpty();
    } finally {
      assertThat(run("bash", "-c", "cd \"$0\" && umount $'x\\377'", other.toString())).isZero();
    }
  }

  @Test
  void copyOfTheIdentifierBelowTheMountPointIsNotTakenForTheDisk() throws Exception {
    Path disk = disk("disk");
    DiskStatus below = observe(disk, DiskStatus.EMPTY);
    String identifier = Files.readString(disk.resolve("longhorn-disk.cfg"));
    mountMemory(disk);
    Files.writeString(disk.resolve("longhorn-disk.cfg"), identifier);
    DiskStatus registered = observe(disk, below.withFilesystem("").withMountPoint(""));
    assertThat(reason(registered)).isEqualTo("DiskReady");
    assertThat(registered.mountPoint()).as("recorded of an old disk").isEqualTo(disk.toString());
    unmount(disk);
    assertThat(reason(observe(disk, registered))).isEqualTo("DiskAbsent");
  }

  /** The mount point of the root is not visible there, because /proc lists only mounts below it. */
  @Test
  void aDiskInAChrootIsReadyAndHasItsSize() throws Exception {
    Path changed = disk("changed-root");
    Files.createDirectories(changed.resolve("disk"));
    for (String folder : List.of("/usr", "/lib", "/lib64", "/etc", "/dev", "/proc")) {
      expose(folder, changed);
    }
    String java = Path.of(System.getProperty("java.home")).toRealPath().toString();
    expose(java, changed);
    List<String> classPath =
        List.of(System.getProperty("java.class.path").split(File.pathSeparator));
    for (String entry : classPath) {
      expose(entry, changed);
    }
    List<String> command = new ArrayList<>(List.of("chroot", changed.toString()));
    command.addAll(List.of(java + "/bin/java", "-Xshare:auto", "-cp"));
    command.add(String.join(File.pathSeparator, classPath));
    command.addAll(List.of(ObservedDisk.class.getName(), "/disk"));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    assertThat(output.lines()).last().asString().matches("DiskReady [1-9][0-9]* [1-9][0-9]*");
  }

  private void expose(String path, Path changedRoot) throws Exception {
    Path source = Path.of(path);
    Path there = changedRoot.resolve(path.substring(1));
    if (!Files.exists(source) || Files.exists(there)) {
      return;
    }
    if (Files.isDirectory(source)) {
      Files.createDirectories(there);
    } else {
      Files.createDirectories(there.getParent());
      Files.createFile(there);
    }
    mount(there, "--bind", path);
  }

  @Test
  void replicaWhoseModeCannotBeSetLeavesTheDiskReady() throws Exception {
    Path disk = disk("disk");
    DiskStatus registered = observe(disk, DiskStatus.EMPTY);
    Path replicas = disk("disk/replicas");
    Path refusing = disk("disk/replicas/a");
    Path other = Files.createFile(disk("disk/replicas/b").resolve("volume-head-000.img"));
    mountMemory(refusing);
    Files.createFile(refusing.resolve("volume-head-000.img"));
    assertThat(run("mount", "-o", "remount,ro", refusing.toString())).isZero();
    for (Path open : List.of(replicas, other)) {
      Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    DiskStatus status = observe(disk, registered);

    assertThat(reason(status)).as(ready(status).message()).isEqualTo("DiskReady");
    for (Path closed : List.of(replicas, other)) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(closed)))
          .isEqualTo("rwx------");
    }
  }

  @Test
  void aFullDiskIsReadyAndHasNoSpace() throws Exception {
    Path disk = disk("disk");
    mountMemory(disk);
    DiskStatus registered = observe(disk, DiskStatus.EMPTY);
    Files.write(disk.resolve("filler"), new byte[(int) Files.getFileStore(disk).getUsableSpace()]);
    DiskStatus full = observe(disk, registered);
    assertThat(reason(full)).isEqualTo("DiskReady");
    assertThat(full.storageAvailable()).isEqualTo(Quantity.ZERO);
  }
}
