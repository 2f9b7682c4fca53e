package dev.holdfast.diskimage;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Images made and read by QEMU's programs: the peer of these tests. */
final class QemuImages {
  private static final int[] CLUSTERS = {512, 1024, 4096, 16384, 65536, 65536, 262144, 2097152};

  private final Path directory;

  QemuImages(Path directory) {
    this.directory = directory;
  }

  static boolean present() {
    return Files.isExecutable(Path.of("/usr/bin/qemu-img"))
        && Files.isExecutable(Path.of("/usr/bin/qemu-io"));
  }

  /** Creates an image with random content, version, cluster size and compression. */
  Path random(long seed) throws IOException {
    Random random = new Random(seed);
    Path raw = directory.resolve("source-" + seed);
    long size = 512L * (1 + random.nextInt(16 << 10));
    fill(raw, size, random);
    Path image = directory.resolve("image-" + seed + ".qcow2");
    boolean old = random.nextInt(3) == 0;
    boolean packed = random.nextInt(2) == 0;
    boolean zstd = packed && !old && random.nextInt(2) == 0;
    int cluster = CLUSTERS[random.nextInt(CLUSTERS.length)];
    List<String> options = new ArrayList<>();
    options.add("cluster_size=" + cluster);
    options.add("compat=" + (old ? "0.10" : "1.1"));
    if (zstd) {
      options.add("compression_type=zstd");
    }
    if (!packed && random.nextInt(3) == 0) {
      options.add("preallocation=" + (random.nextBoolean() ? "metadata" : "falloc"));
    }
    List<String> command = new ArrayList<>(List.of("qemu-img", "convert", "-f", "raw"));
    command.addAll(List.of("-O", "qcow2", "-o", String.join(",", options)));
    if (packed) {
      command.add("-c");
    }
    command.addAll(List.of(raw.toString(), image.toString()));
    run(command);
    change(image, size, random);
    Files.delete(raw);
    return image;
  }

  /** Writes, zeroes, discards and snapshots, like a guest. */
  private void change(Path image, long size, Random random) throws IOException {
    List<String> command = new ArrayList<>(List.of("qemu-io", "-f", "qcow2"));
    for (int i = random.nextInt(6); i > 0; i--) {
      long offset = random.nextLong(size / 512) * 512;
      long length = Math.min(size - offset, 512L * (1 + random.nextInt(512)));
      String verb =
          switch (random.nextInt(4)) {
            case 0 -> "write -z";
            case 1 -> "write -zu";
            case 2 -> "discard";
            default -> "write -P " + random.nextInt(256);
          };
      command.addAll(List.of("-c", verb + " " + offset + " " + length));
    }
    if (random.nextInt(3) == 0) {
      run(List.of("qemu-img", "snapshot", "-c", "before", image.toString()));
    }
    if (command.size() > 3) {
      command.add(image.toString());
      run(command);
    }
  }

  /** Returns the content of an image as QEMU reads it. */
  byte[] content(Path image) throws IOException {
    Path raw = directory.resolve("read-" + image.getFileName());
    run(
        List.of(
            "qemu-img", "convert", "-f", "qcow2", "-O", "raw", image.toString(), raw.toString()));
    byte[] content = Files.readAllBytes(raw);
    Files.delete(raw);
    return content;
  }

  private static void fill(Path file, long size, Random random) throws IOException {
    try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
      out.setLength(size);
      for (long at = 0; at < size; ) {
        int length = (int) Math.min(size - at, 512L * (1 + random.nextInt(2048)));
        byte[] piece = new byte[length];
        switch (random.nextInt(3)) {
          case 0 -> random.nextBytes(piece);
          case 1 -> text(piece, random);
          default -> {
            // A hole.
          }
        }
        out.seek(at);
        out.write(piece);
        at += length;
      }
    }
  }

  private static void text(byte[] piece, Random random) {
    byte[] line = ("line " + random.nextInt(1000) + "\n").getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < piece.length; i++) {
      piece[i] = line[i % line.length];
    }
  }

  void run(List<String> command) throws IOException {
    Path output = Files.createTempFile(directory, "output", "");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      if (!process.waitFor(60, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException("does not end: " + command);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
    String text = Files.readString(output, StandardCharsets.ISO_8859_1);
    Files.delete(output);
    if (process.exitValue() != 0 || text.contains("failed:")) {
      throw new IOException(command + ": " + text);
    }
  }
}
