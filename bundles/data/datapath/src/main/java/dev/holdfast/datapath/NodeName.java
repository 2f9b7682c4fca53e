package dev.holdfast.datapath;

import java.util.Optional;
import java.util.function.Function;

/** The name of this node: the property {@code holdfast.node.name}. */
public final class NodeName {
  private static final String PROPERTY = "holdfast.node.name";
  private static final String DEFAULT = "node-1";

  private NodeName() {}

  /**
   * Returns the name, {@code node-1} without the property.
   *
   * @param properties returns the text of a property or null, as {@code BundleContext.getProperty}
   *     does
   */
  public static String of(Function<String, String> properties) {
    return Optional.ofNullable(properties.apply(PROPERTY))
        .filter(name -> !name.isBlank())
        .orElse(DEFAULT);
  }
}
