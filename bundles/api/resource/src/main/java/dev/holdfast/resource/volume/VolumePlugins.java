package dev.holdfast.resource.volume;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.InvalidResourceException;
import dev.holdfast.resource.node.Node;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/** Checks that the plugins of a volume are installed on a node. A pure function. */
public final class VolumePlugins {
  private VolumePlugins() {}

  /**
   * Returns the plugins of a volume that are missing on all nodes, according to the nodes' reports
   * of installed plugins. Without any report, no plugin counts as missing.
   *
   * @param spec of the volume
   * @param nodes all nodes of the cluster
   * @return one error for each missing plugin, never null
   */
  public static List<FieldError> missing(VolumeSpec spec, List<Node> nodes) {
    Set<String> engines = installed(nodes, node -> node.status().engines());
    Set<String> frontends = installed(nodes, node -> node.status().protocols(spec.dataEngine()));
    return new Checks()
        .all(missing(spec.dataEngine(), engines, "spec.dataEngine", "engine"))
        .all(missing(spec.frontend(), frontends, "spec.frontend", "frontend"))
        .errors();
  }

  /**
   * Rejects a volume whose engine or frontend is missing on all nodes, or that has an option which
   * its engine does not declare.
   *
   * @param before the stored volume, empty when the volume is created: plugins that it already
   *     names are not rejected again
   * @throws InvalidResourceException with each field
   */
  public static void requireInstalled(Volume wanted, Optional<Volume> before, List<Node> nodes)
      throws InvalidResourceException {
    boolean same =
        before.isPresent()
            && before.get().spec().frontend().equals(wanted.spec().frontend())
            && before.get().spec().dataEngine().equals(wanted.spec().dataEngine());
    List<FieldError> errors =
        new Checks()
            .all(same ? List.of() : missing(wanted.spec(), nodes))
            .all(VolumeOptions.rejected(wanted.spec(), before.map(Volume::spec), nodes))
            .errors();
    if (!errors.isEmpty()) {
      throw new InvalidResourceException(Volume.KIND, wanted.name(), errors);
    }
  }

  private static List<FieldError> missing(
      String wanted, Set<String> present, String field, String kind) {
    return new Checks()
        .that(
            present.isEmpty() || present.contains(wanted),
            field,
            wanted,
            "no node has this " + kind + "; installed: " + String.join(", ", present))
        .errors();
  }

  private static Set<String> installed(List<Node> nodes, Function<Node, List<String>> plugins) {
    Set<String> names = new TreeSet<>();
    nodes.forEach(node -> names.addAll(plugins.apply(node)));
    return names;
  }
}
