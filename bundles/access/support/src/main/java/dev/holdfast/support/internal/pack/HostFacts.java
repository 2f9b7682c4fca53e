package dev.holdfast.support.internal.pack;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Tables of the kernel about the machine, and the names of the node's files. */
final class HostFacts implements Facts {
  private static final List<String> TABLES =
      List.of("version", "mounts", "partitions", "diskstats", "meminfo", "loadavg", "modules");
  private static final int LARGEST = 1 << 20;
  private static final int MOST_FILES = 20_000;
  private static final int DEPTH = 5;
  private static final long KERNEL_LOG_SECONDS = 10;

  private final Path data;

  HostFacts(Path data) {
    this.data = data;
  }

  @Override
  public void collect(SupportRequest request, SecretFilter filter, EntrySink sink)
      throws IOException {
    for (String table : TABLES) {
      Path file = Path.of("/proc", table);
      if (Files.isReadable(file)) {
        try (InputStream in = Files.newInputStream(file)) {
          emit("host/" + table + ".txt", text(in.readNBytes(LARGEST)), filter, sink);
        }
      }
    }
    emit("host/filesystems.txt", filesystems(), filter, sink);
    emit("host/kernel-log.txt", kernelLog(), filter, sink);
    emit("files.txt", files(), filter, sink);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static void emit(String name, String text, SecretFilter filter, EntrySink sink)
      throws IOException {
    sink.entry(name, filter.redact(text).getBytes(StandardCharsets.UTF_8));
  }

  private static String filesystems() {
    StringBuilder text = new StringBuilder("mount, type, bytes, usable bytes\n");
    for (FileStore store : FileSystems.getDefault().getFileStores()) {
      try {
        text.append(store).append(", ").append(store.type()).append(", ");
        text.append(store.getTotalSpace()).append(", ").append(store.getUsableSpace());
      } catch (IOException e) {
        text.append(e.getMessage());
      }
      text.append('\n');
    }
    return text.toString();
  }

  /** Returns the end of the kernel's log, or the reason why it is unreadable. */
  private static String kernelLog() throws IOException {
    Path output = Files.createTempFile("holdfast-kernel-log", ".txt");
    try {
      Process process =
          new ProcessBuilder("dmesg")
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      if (!process.waitFor(KERNEL_LOG_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
      byte[] bytes = Files.readAllBytes(output);
      int from = Math.max(0, bytes.length - LARGEST);
      return new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "dmesg: " + e.getMessage();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "dmesg: interrupted";
    } finally {
      Files.deleteIfExists(output);
    }
  }

  private String files() throws IOException {
    StringBuilder text = new StringBuilder();
    try (Stream<Path> all = Files.walk(data, DEPTH)) {
      all.limit(MOST_FILES).forEach(file -> text.append(line(file)).append('\n'));
    } catch (java.io.UncheckedIOException e) {
      text.append(e.getMessage()).append('\n');
    }
    return text.toString();
  }

  private String line(Path file) {
    try {
      return PosixFilePermissions.toString(Files.getPosixFilePermissions(file))
          + " "
          + Files.getOwner(file)
          + " "
          + Files.size(file)
          + " "
          + Files.getLastModifiedTime(file)
          + " "
          + data.relativize(file);
    } catch (IOException e) {
      return data.relativize(file) + ": " + e.getMessage();
    }
  }
}
