package dev.holdfast.itests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Makes a node replace bundles, and reads its installed versions. */
final class BundleUpgrades {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  private final Function<String[], Command.Result> holdfast;
  private final Function<String, Command.Result> shell;
  private final Path data;

  BundleUpgrades(RunningNode node) {
    this(node::run, node::tryShell, node.data());
  }

  BundleUpgrades(HoldfastPod pod) {
    this(pod::run, command -> pod.run("shell", command), pod.data());
  }

  private BundleUpgrades(
      Function<String[], Command.Result> holdfast,
      Function<String, Command.Result> shell,
      Path data) {
    this.holdfast = holdfast;
    this.shell = shell;
    this.data = data;
  }

  /** Returns state and version of each bundle of a name. */
  List<String> versions(String bundle) {
    return versions(List.of(bundle));
  }

  /** Returns state and version of each bundle of any of these names. */
  List<String> versions(Collection<String> names) {
    List<String> found = new ArrayList<>();
    bundles()
        .lines()
        .map(line -> line.strip().split("\\s+"))
        .filter(words -> names.contains(words[words.length - 1]))
        .forEach(words -> found.add(words[1] + " " + words[3]));
    return found;
  }

  /** The shell's own bundles start late: after a restart it may close the connection again. */
  private String bundles() {
    AtomicReference<Command.Result> last = new AtomicReference<>();
    try {
      Await.until(
          "the shell lists the bundles",
          LIMIT,
          () -> {
            last.set(shell.apply("bundle:list -t 0 -s --no-format"));
            return last.get().exitCode() == 0;
          });
    } catch (AssertionError e) {
      throw new AssertionError("the shell's last answer: " + last.get(), e);
    }
    return last.get().out();
  }

  /** Runs the command, which has to succeed or to fail; returns the operation. */
  JsonNode upgrade(boolean good, String... words) throws IOException {
    List<String> all = new ArrayList<>(List.of("upgrade", "-o", "json"));
    all.addAll(List.of(words));
    Command.Result result = holdfast.apply(all.toArray(String[]::new));
    JsonNode items =
        new ObjectMapper().readTree((good ? result.succeeded() : result.failed()).out());
    return items.at("/items/0");
  }

  /** Makes an archive of a feature. */
  static Path archive(Path folder, String... jars) throws IOException {
    Path file = Files.createTempFile(folder, "feature", ".kar");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
      for (String jar : jars) {
        zip.putNextEntry(new ZipEntry("repository/" + Path.of(jar).getFileName()));
        Files.copy(Path.of(jar), zip);
      }
    }
    return file;
  }

  /** Returns how far the operations of the node's journal are. */
  List<String> states() {
    Path journal = data.resolve("upgrade/journal.json");
    try {
      List<String> found = new ArrayList<>();
      new ObjectMapper()
          .readTree(journal.toFile())
          .path("operations")
          .forEach(operation -> found.add(operation.path("state").asText()));
      return found;
    } catch (IOException e) {
      return List.of();
    }
  }
}
