package dev.holdfast.itests;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * The parts of a node's state that its first start makes and that are equal for every node: Karaf's
 * cache of bundles, and the jars that the upgrader keeps of them. To make both takes longer than
 * the rest of a start, so one node is started and stopped for it, and others begin with a copy.
 * {@link ContainerE2E} tests a node that starts with an empty directory.
 */
final class PreparedInstance {
  private static final String INSTANCE = "karaf";

  /** Files that belong to a running container. */
  private static final List<String> OF_THE_PROCESS =
      List.of("karaf.pid", "lock", "instances", "data/port", "data/tmp");

  private static final Path MADE = made();

  private PreparedInstance() {}

  private static Path made() {
    try {
      Path data = Files.createTempDirectory("holdfast-instance");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(data)));
      try (RunningNode node = RunningNode.unprepared(data)) {
        node.up("--disks", "0").succeeded();
        Await.until(
            "the node has kept the jars of its bundles",
            Duration.ofMinutes(2),
            () -> PreparedJars.areComplete(data));
        node.ok("down");
      }
      Path instance = data.resolve(INSTANCE);
      OF_THE_PROCESS.forEach(name -> remove(instance.resolve(name)));
      configurations(instance).forEach(PreparedInstance::remove);
      PreparedJars.leaveOutChosen(data);
      return data;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ports and addresses among them: each start reads its own from the files in etc. */
  private static List<Path> configurations(Path instance) throws IOException {
    try (Stream<Path> bundles = Files.list(instance.resolve("data/cache"))) {
      return bundles.map(bundle -> bundle.resolve("data/config")).filter(Files::exists).toList();
    }
  }

  private static void remove(Path directory) {
    Command.of("rm", "-rf", directory.toString()).run().succeeded();
  }

  /** Gives a node its copy, unless it has been started. */
  static void into(Path data) {
    try {
      if (!Files.exists(Files.createDirectories(data).resolve(INSTANCE))) {
        copy(INSTANCE, data);
        copy(PreparedJars.FOLDER, data);
        PreparedJars.move(MADE, data);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Jars are never written again and have 180 MB: they are linked where the copy is on the same
   * filesystem.
   */
  private static void copy(String folder, Path data) throws IOException {
    boolean links = Files.getFileStore(MADE).equals(Files.getFileStore(data));
    try (Stream<Path> files = Files.walk(MADE.resolve(folder))) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Path target = data.resolve(MADE.relativize(file).toString());
        if (links
            && file.toString().endsWith(".jar")
            && Files.isRegularFile(file, NOFOLLOW_LINKS)) {
          Files.createLink(target, file);
        } else {
          Files.copy(file, target, COPY_ATTRIBUTES, NOFOLLOW_LINKS);
        }
      }
    }
  }
}
