package dev.holdfast.itests;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Karaf's part of a node's state as its first start leaves it: the bundles that there are, in its
 * cache. To find them out and to copy them takes longer than the rest of a start and comes to the
 * same for every node, so one is started and stopped for it, and others begin with a copy. {@link
 * ContainerE2E} looks at a node that begins with nothing.
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
        node.ok("down");
      }
      Path instance = data.resolve(INSTANCE);
      OF_THE_PROCESS.forEach(name -> remove(instance.resolve(name)));
      configurations(instance).forEach(PreparedInstance::remove);
      return instance;
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
      Path copy = Files.createDirectories(data).resolve(INSTANCE);
      if (!Files.exists(copy)) {
        copy(copy);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The files of bundles are never written again and have 140 MB: they are linked where the copy is
   * on the same filesystem.
   */
  private static void copy(Path copy) throws IOException {
    boolean links = Files.getFileStore(MADE).equals(Files.getFileStore(copy.getParent()));
    try (Stream<Path> files = Files.walk(MADE)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Path target = copy.resolve(MADE.relativize(file).toString());
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
