package dev.holdfast.rules;

import java.util.Set;

/**
 * A folder with a {@code pom.xml}.
 *
 * @param folder relative to the root of the tree, empty for the root itself
 * @param dependencies artifacts of the tree that its main code is compiled or run with
 * @param aggregator whether it only names other modules
 */
record Module(
    String folder, String artifact, Set<String> dependencies, boolean aggregator, int pomLines) {

  static final String BUNDLES = "bundles/";
  private static final Set<String> PLUGINS =
      Set.of("engines", "frontends", "attachers", "backup-targets", "image-sources", "share-nfs");

  /** Returns the first folder below {@code bundles}, or an empty text. */
  String group() {
    if (!folder.startsWith(BUNDLES)) {
      return "";
    }
    String below = folder.substring(BUNDLES.length());
    return below.contains("/") ? below.substring(0, below.indexOf('/')) : below;
  }

  /** Returns the first folder of its path. */
  String top() {
    return folder.contains("/") ? folder.substring(0, folder.indexOf('/')) : folder;
  }

  boolean isPlugin() {
    return !aggregator && PLUGINS.contains(top());
  }

  boolean isBundle() {
    return isPlugin() || (!aggregator && folder.startsWith(BUNDLES));
  }
}
