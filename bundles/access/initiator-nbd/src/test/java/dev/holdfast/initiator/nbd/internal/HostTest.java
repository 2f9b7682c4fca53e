package dev.holdfast.initiator.nbd.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.BlockDevices;
import dev.holdfast.initiator.HostCondition;
import dev.holdfast.initiator.HostProgram;
import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.MountTable;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A real export, a real daemon, a real loop device; as root, on a host with loop and FUSE. */
abstract class HostTest {
  static final int MIB = 1 << 20;
  static final long SIZE = 256L * MIB;

  @TempDir Path folder;
  Path image;
  NbdServer server;
  DaemonInitiator initiator;
  private final List<Path> mounted = new ArrayList<>();

  @BeforeEach
  final void startServer() throws Exception {
    assertThat(new FuseLoopDevice().obstacle())
        .as("this test needs root, FUSE, loop devices, nbdfuse and qemu-nbd")
        .isEmpty();
    image = folder.resolve("image");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(SIZE);
    }
    server = new NbdServer(image);
    initiator = newInitiator();
  }

  /** An initiator that knows only what is written down, as after a restart. */
  final DaemonInitiator newInitiator() {
    return new DaemonInitiator(new FuseLoopDevice(), state());
  }

  final HostState state() {
    return new HostState(folder.resolve("initiators"));
  }

  final Path run() {
    return folder.resolve("initiators/run/demo");
  }

  @AfterEach
  final void leaveTheHostAsItWas() throws Exception {
    for (Path directory : mounted) {
      HostProgram.run(Duration.ofSeconds(150), List.of("umount", directory.toString()));
    }
    newInitiator().disconnect("demo");
    server.kill();
  }

  final List<Long> processes(String program) throws StorageException {
    return Daemons.find(program, run());
  }

  final void kill(String program) throws StorageException {
    for (long pid : processes(program)) {
      ProcessHandle.of(pid).orElseThrow().destroyForcibly();
    }
    awaitEnd(program);
  }

  final void end(String program) throws StorageException {
    for (long pid : processes(program)) {
      ProcessHandle.of(pid).orElseThrow().destroy();
    }
    awaitEnd(program);
  }

  private void awaitEnd(String program) throws StorageException {
    assertThat(HostCondition.holds(Duration.ofSeconds(10), () -> processes(program).isEmpty()))
        .isTrue();
  }

  final void assertNothingIsLeft() throws Exception {
    assertThat(processes("nbdfuse")).isEmpty();
    assertThat(processes("qemu-nbd")).isEmpty();
    assertThat(MountTable.read().at(run().resolve("fuse"))).isEmpty();
    for (String loop : BlockDevices.named("loop")) {
      assertThat(BlockDevices.attribute(loop, "loop/backing_file").orElse(""))
          .doesNotStartWith(folder.toString());
    }
    assertThat(run()).doesNotExist();
    assertThat(state().volumes()).isEmpty();
  }

  final Path makeFilesystemAndMount(String device) throws Exception {
    check("mkfs.ext4", "-q", device);
    Path directory = Files.createDirectories(folder.resolve("mnt"));
    check("mount", "-o", "discard", device, directory.toString());
    mounted.add(directory);
    return directory;
  }

  final void unmount(Path directory) throws Exception {
    check("umount", directory.toString());
    mounted.remove(directory);
  }

  static String check(String... command) throws StorageException {
    return HostProgram.check(Duration.ofSeconds(150), List.of(command));
  }

  static void write(String device, long offset, byte[] bytes) throws Exception {
    try (FileChannel channel = FileChannel.open(Path.of(device), StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(bytes), offset);
      channel.force(false);
    }
  }

  static byte[] read(Path file, long offset, int length) throws Exception {
    ByteBuffer buffer = ByteBuffer.allocate(length);
    try (FileChannel channel = FileChannel.open(file)) {
      channel.read(buffer, offset);
    }
    return buffer.array();
  }
}
