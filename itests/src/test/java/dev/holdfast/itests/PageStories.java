package dev.holdfast.itests;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Plays the stories below {@code ui/e2e} in Debian's Chromium. */
final class PageStories {
  private static final Path TREE = Path.of(System.getProperty("holdfast.tree"));
  static final Path HOLDFAST =
      Path.of(System.getProperty("holdfast.distribution")).normalize().resolve("holdfast");

  /** Each takes less than a minute on an idle machine. */
  private static final Duration LIMIT = Duration.ofMinutes(20);

  private PageStories() {}

  /** Plays a story that begins at a one-time address. */
  static void play(String story, String address, String... arguments) {
    // Beside the reports, so that a picture of a failure outlives the test.
    Path pictures = Path.of("target", story.equals("page") ? story : "page-" + story);
    List<String> words =
        new ArrayList<>(
            List.of(
                TREE.resolve("ui/e2e/run").toString(),
                story,
                address,
                pictures.toAbsolutePath().toString()));
    words.addAll(List.of(arguments));
    Command.of(words).within(LIMIT).run().succeeded();
  }

  /** Plays a story that also uses the command of the node. */
  static void play(String story, RunningNode node, String... arguments) {
    String address = node.ok("page").lines().findFirst().orElse("");
    List<String> all = new ArrayList<>(List.of(HOLDFAST.toString(), node.data().toString()));
    all.addAll(List.of(arguments));
    play(story, address, all.toArray(String[]::new));
  }
}
