package dev.holdfast.itests;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The jars that a node's upgrader keeps of the platform's bundles, so that {@code bundle:update}
 * can be rolled back, and the list of them. The list names the files by absolute paths.
 */
final class PreparedJars {
  /** Folder of both below a data directory. */
  static final String FOLDER = "upgrade";

  private static final String LIST = FOLDER + "/good.json";

  /**
   * Their components depend on the options of {@code up}, and the list has those that worked: each
   * node finds them out itself.
   */
  private static final List<String> CHOSEN =
      List.of(
          "dev.holdfast.certificates",
          "dev.holdfast.cluster",
          "dev.holdfast.store.embedded",
          "dev.holdfast.store.etcd",
          "dev.holdfast.store.remote");

  private static final String OURS = "mvn:dev.holdfast/";
  private static final String ACTIVE = "32";
  private static final ObjectMapper JSON = new ObjectMapper();

  private PreparedJars() {}

  /** Returns whether a node that runs has listed each bundle of the platform that it started. */
  static boolean areComplete(Path data) throws IOException {
    if (!Files.exists(data.resolve(LIST))) {
      return false;
    }
    Set<Long> listed = new HashSet<>();
    list(data).forEach(entry -> listed.add(entry.path("bundle").asLong()));
    try (Stream<Path> bundles = Files.list(data.resolve("karaf/data/cache"))) {
      for (Path bundle : (Iterable<Path>) bundles::iterator) {
        Path info = bundle.resolve("bundle.info");
        if (Files.exists(info) && isMissing(Files.readAllLines(info), listed)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Felix writes number, location and state of a bundle on the first three lines. */
  private static boolean isMissing(List<String> info, Set<Long> listed) {
    return info.size() > 2
        && info.get(1).startsWith(OURS)
        && info.get(2).equals(ACTIVE)
        && !listed.contains(Long.parseLong(info.get(0)));
  }

  private static ObjectNode list(Path data) throws IOException {
    return (ObjectNode) JSON.readTree(data.resolve(LIST).toFile());
  }

  /** Removes what differs between nodes from the list of a stopped node. */
  static void leaveOutChosen(Path data) throws IOException {
    JSON.writeValue(data.resolve(LIST).toFile(), list(data).remove(CHOSEN));
  }

  /** Lets the list that was copied from one data directory to another name the files there. */
  static void move(Path from, Path to) throws IOException {
    Path list = to.resolve(LIST);
    Files.writeString(
        list,
        Files.readString(list)
            .replace(
                from.toRealPath().resolve(FOLDER).toString(),
                to.toRealPath().resolve(FOLDER).toString()));
  }
}
