package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The directories of a volume's replicas on all disks, read while no process has them open. For
 * volumes into which no block of zeros was ever written.
 */
final class ReplicaFiles {
  private static final int BLOCK = 4096;

  private final List<Path> directories;
  private final int bytes;

  private ReplicaFiles(List<Path> directories, int bytes) {
    this.directories = directories;
    this.bytes = bytes;
  }

  /** Finds them below the data of all nodes. */
  static ReplicaFiles of(String volume, int bytes, Path data) throws IOException {
    try (Stream<Path> files = Files.walk(data)) {
      return new ReplicaFiles(
          files
              .filter(file -> file.getFileName().toString().equals("volume.meta"))
              .map(Path::getParent)
              .filter(replica -> replica.getFileName().toString().startsWith(volume + "-r-"))
              .toList(),
          bytes);
    }
  }

  /** Fails unless there are so many, which hold the same. */
  void agree(int count) throws IOException {
    assertThat(directories).hasSize(count);
    byte[] first = content(directories.get(0));
    for (Path replica : directories) {
      assertThat(Arrays.mismatch(first, content(replica)))
          .as("first byte where %s differs from %s", replica, directories.get(0))
          .isEqualTo(-1);
    }
  }

  // Layers that became superfluous may still be there on some replicas. No block of zeros was ever
  // written, so one that is zero is not in that layer.
  private byte[] content(Path replica) throws IOException {
    byte[] all = new byte[bytes];
    byte[] zeros = new byte[BLOCK];
    String layer = meta(replica, "volume.meta", "Head");
    while (!layer.isEmpty()) {
      byte[] found = Files.readAllBytes(replica.resolve(layer));
      for (int at = 0; at < Math.min(all.length, found.length); at += zeros.length) {
        if (Arrays.equals(all, at, at + zeros.length, zeros, 0, zeros.length)) {
          System.arraycopy(found, at, all, at, zeros.length);
        }
      }
      layer = meta(replica, layer + ".meta", "Parent");
    }
    return all;
  }

  private static String meta(Path replica, String file, String field) throws IOException {
    return Cluster.tree(Files.readString(replica.resolve(file))).path(field).asText();
  }

  /** Changes a byte of one: what a lost or a foreign write looks like. */
  void spoil() throws IOException {
    Path replica = directories.get(1);
    Path head = replica.resolve(meta(replica, "volume.meta", "Head"));
    try (RandomAccessFile file = new RandomAccessFile(head.toFile(), "rw")) {
      int before = file.read();
      file.seek(0);
      file.write(before + 1);
    }
  }
}
