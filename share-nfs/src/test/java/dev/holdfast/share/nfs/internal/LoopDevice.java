package dev.holdfast.share.nfs.internal;

import dev.holdfast.initiator.HostProgram;
import java.io.RandomAccessFile;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A volume's device for tests: a loop device over a sparse file. */
final class LoopDevice {
  private static final Duration SHORT = Duration.ofSeconds(20);

  private final Path file;
  private final String device;

  LoopDevice(Path file, long bytes) throws Exception {
    this.file = file;
    setSize(bytes);
    this.device =
        HostProgram.check(
            SHORT, List.of("losetup", "--find", "--show", "--direct-io=off", file.toString()));
  }

  private void setSize(long bytes) throws Exception {
    try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw")) {
      opened.setLength(bytes);
    }
  }

  String device() {
    return device;
  }

  URI endpoint() {
    return URI.create("device:" + device);
  }

  void grow(long bytes) throws Exception {
    setSize(bytes);
    String unused = HostProgram.check(SHORT, List.of("losetup", "--set-capacity", device));
  }

  void close() throws Exception {
    String unused = HostProgram.check(SHORT, List.of("losetup", "--detach", device));
    Files.deleteIfExists(file);
  }
}
