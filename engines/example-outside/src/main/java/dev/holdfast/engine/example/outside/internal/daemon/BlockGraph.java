package dev.holdfast.engine.example.outside.internal.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * Nodes and exports of one daemon, changed over one connection. The identifier of an export is its
 * name and a number, because the daemon keeps that of an export until its last request has ended.
 */
final class BlockGraph {
  private static final Duration ENDS = Duration.ofSeconds(30);

  private final Qmp qmp;

  BlockGraph(Qmp qmp) {
    this.qmp = qmp;
  }

  boolean hasNode(String name) throws StorageException {
    ObjectNode flat = Qmp.arguments().put("flat", true);
    for (JsonNode node : qmp.call("query-named-block-nodes", flat)) {
      if (node.path("node-name").asText().equals(name)) {
        return true;
      }
    }
    return false;
  }

  /** Adds a raw image, in which unused ranges become holes. */
  void addImage(String node, Path file, boolean detectZeroes) throws StorageException {
    ObjectNode image = Qmp.arguments().put("driver", "raw").put("node-name", node);
    image.put("discard", "unmap");
    if (detectZeroes) {
      image.put("detect-zeroes", "unmap");
    }
    ObjectNode below = image.putObject("file").put("driver", "file").put("discard", "unmap");
    // The lock of the replica protects the image; this one would not.
    below.put("filename", file.toString()).put("locking", "off");
    qmp.call("blockdev-add", image);
  }

  void removeNode(String node) throws StorageException {
    qmp.call("blockdev-del", Qmp.arguments().put("node-name", node));
  }

  /** Exports a node under a name that can be an identifier, unless it is exported. */
  void export(String node, String name) throws StorageException {
    export(node, name, name);
  }

  /**
   * Exports a node, unless it is exported.
   *
   * @param label begins the identifier
   * @param name by which clients ask for it
   */
  void export(String node, String label, String name) throws StorageException {
    if (!exports(label, false).isEmpty()) {
      return;
    }
    ObjectNode export = Qmp.arguments().put("type", "nbd").put("node-name", node);
    export.put("id", label + "." + Long.toHexString(System.nanoTime()));
    export.put("name", name).put("writable", true);
    qmp.call("block-export-add", export);
  }

  /**
   * Disconnects the clients of an export and removes it.
   *
   * @return whether the last request has ended in time; otherwise the name is free all the same
   */
  boolean withdraw(String name, Duration patience) throws StorageException {
    Set<String> ending = exports(name, true);
    for (String id : exports(name, false)) {
      qmp.call("block-export-del", Qmp.arguments().put("id", id).put("mode", "hard"));
    }
    long deadline = System.nanoTime() + patience.toNanos();
    for (String id : ending) {
      Duration left = Duration.ofNanos(Math.max(1, deadline - System.nanoTime()));
      if (!qmp.await("BLOCK_EXPORT_DELETED", data -> data.path("id").asText().equals(id), left)) {
        return false;
      }
    }
    return true;
  }

  /** As {@link #withdraw(String, Duration)}, and fails when a request does not end. */
  void withdraw(String name) throws StorageException {
    if (!withdraw(name, ENDS)) {
      throw new StorageException(
          ErrorCode.TIMEOUT,
          "export " + name + ": a request does not end: see the disk, try again");
    }
  }

  private Set<String> exports(String name, boolean ending) throws StorageException {
    Set<String> found = new HashSet<>();
    for (JsonNode export : qmp.call("query-block-exports", Qmp.arguments())) {
      String id = export.path("id").asText();
      if (id.startsWith(name + ".") && (ending || !export.path("shutting-down").asBoolean())) {
        found.add(id);
      }
    }
    return found;
  }
}
