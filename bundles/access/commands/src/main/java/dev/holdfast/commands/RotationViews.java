package dev.holdfast.commands;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.cluster.RotationStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Shows the authority of the cluster and its rotation. Thread-safe. */
public final class RotationViews {
  /** Shows the progress of a rotation, the nodes for which it waits, and the next command. */
  public Output status(RotationStatus status) {
    return new Output(() -> text(status), () -> tree(status));
  }

  private static String text(RotationStatus status) {
    List<String> lines = new ArrayList<>();
    lines.add("The authority of the cluster is " + status.authority());
    switch (status.phase()) {
      case NONE -> lines.add("No other one is trusted.");
      case TRUST -> lines.add("Nodes learn to trust a new one, which then signs.");
      case RENEW -> lines.add("It is new: nodes get certificates of it. The old one is trusted.");
      case READY ->
          lines.add(
              "It is new, and all nodes have certificates of it. The old one is trusted until"
                  + " 'holdfast cluster authority finish': update clients and kubeconfigs before.");
    }
    status.waiting().forEach(node -> lines.add("  waiting for " + node));
    if (!status.left().isEmpty()) {
      lines.add(
          "Left behind: "
              + String.join(", ", status.left())
              + ": remove each with 'holdfast node remove NAME' and let it join again");
    }
    return String.join("\n", lines);
  }

  private static ObjectNode tree(RotationStatus status) {
    ObjectNode tree =
        JsonNodeFactory.instance
            .objectNode()
            .put("phase", status.phase().name().toLowerCase(Locale.ROOT))
            .put("authority", status.authority());
    status.waiting().forEach(tree.putArray("waiting")::add);
    status.left().forEach(tree.putArray("left")::add);
    return tree;
  }
}
