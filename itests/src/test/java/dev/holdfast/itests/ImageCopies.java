package dev.holdfast.itests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The files of a backing image on the nodes of a cluster. A file that is deleted during the search
 * counts as absent.
 */
record ImageCopies(Cluster cluster, String image) {
  /** Returns the files of a name in the folders of the image on a node. */
  List<Path> files(int node, String name) {
    Path disks = cluster.data(node).resolve("disks");
    try (Stream<Path> files = Files.exists(disks) ? Files.walk(disks) : Stream.of()) {
      return files
          .filter(file -> file.getFileName().toString().equals(name))
          .filter(file -> file.toString().contains("/backing-images/" + image + "-"))
          .toList();
    } catch (IOException | UncheckedIOException e) {
      return List.of();
    }
  }

  /** Returns whether a node has a part of the image durably, and not yet all of it. */
  boolean isPartial(int node) {
    return !files(node, "written").isEmpty() && !isComplete(node);
  }

  boolean isComplete(int node) {
    return !files(node, "sealed").isEmpty();
  }

  /** Returns the nodes of the cluster by number. */
  List<Integer> nodes() {
    return IntStream.rangeClosed(1, cluster.size()).boxed().toList();
  }

  /** Returns the copies whose bytes differ from those of a file. */
  List<Path> different(Path content) {
    return nodes().stream()
        .flatMap(node -> files(node, "backing").stream())
        .filter(copy -> differs(content, copy))
        .toList();
  }

  private static boolean differs(Path content, Path copy) {
    try {
      return Files.mismatch(content, copy) >= 0;
    } catch (IOException e) {
      throw new UncheckedIOException(copy.toString(), e);
    }
  }
}
