package dev.holdfast.cluster.archive;

import java.util.List;

/**
 * The entries of a data directory that an archive contains. All are needed together: with a store
 * but without the authority's keys and the members' credentials, nodes could not connect to each
 * other.
 */
final class ArchiveContent {
  static final String STORE = "store/holdfast.db";
  static final String MANIFEST = "manifest.json";

  /** Not in an archive, because it is derived from the node's keys. */
  static final String DERIVED = "tls/client/";

  /**
   * Entries in the order in which a restore moves them into place. The settings are last: a node
   * without them was never started.
   */
  static final List<String> ENTRIES =
      List.of(
          "tls", "cluster", "secrets", "node.id", "token", "kubeconfig", "store", "holdfast.env");

  private ArchiveContent() {}

  /** Returns whether a name from an archive may be written below a data directory. */
  static boolean admits(String name) {
    List<String> parts = List.of(name.split("/", -1));
    return ENTRIES.contains(parts.get(0))
        && parts.stream().noneMatch(part -> part.isEmpty() || part.equals("..") || part.equals("."))
        && (!parts.get(0).equals("store") || name.equals(STORE));
  }
}
