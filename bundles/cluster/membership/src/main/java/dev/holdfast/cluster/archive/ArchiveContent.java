package dev.holdfast.cluster.archive;

import java.util.List;

/**
 * The entries of a data directory that an archive has. All are needed together: a store without the
 * keys of the authority and the credentials of the members leaves nodes that cannot connect to each
 * other.
 */
final class ArchiveContent {
  static final String STORE = "store/holdfast.db";
  static final String MANIFEST = "manifest.json";

  /** Written again from the keys of the node; not in an archive. */
  static final String DERIVED = "tls/client/";

  /**
   * Entries in the order in which a restore puts them in place. The settings are the last one: a
   * node without them has never been started.
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
