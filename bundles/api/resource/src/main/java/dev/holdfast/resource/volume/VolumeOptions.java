package dev.holdfast.resource.volume;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.node.DeclaredOption;
import dev.holdfast.resource.node.Node;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Checks the options of a volume against the declared options of its engine. A pure function.
 *
 * @since 1.1
 */
public final class VolumeOptions {
  private static final String FIELD = "spec.engineOptions";

  private final String engine;
  private final List<DeclaredOption> declared;

  private VolumeOptions(String engine, List<Node> nodes) {
    this.engine = engine;
    this.declared =
        nodes.stream()
            .flatMap(node -> node.status().engineOptions().getOrDefault(engine, List.of()).stream())
            .toList();
  }

  /**
   * Returns the options that the engine of a volume rejects. Nodes report the declarations of their
   * engines. A value is permitted if the engine of at least one node permits it. All values are
   * permitted while the engine is not reported.
   *
   * @param spec wanted for the volume
   * @param before the stored spec, empty when the volume is created
   * @param nodes all nodes of the cluster
   * @return one error for each invalid option, never null
   */
  public static List<FieldError> rejected(
      VolumeSpec spec, Optional<VolumeSpec> before, List<Node> nodes) {
    if (nodes.stream().allMatch(node -> node.status().engines().isEmpty())) {
      return List.of();
    }
    VolumeOptions options = new VolumeOptions(spec.dataEngine(), nodes);
    Map<String, String> earlier = before.map(VolumeSpec::engineOptions).orElse(Map.of());
    Checks checks = new Checks();
    spec.engineOptions()
        .forEach(
            (name, value) -> {
              // Stored values were accepted earlier; their engine may be absent now.
              if (!value.equals(earlier.get(name))) {
                options.check(name, value, checks);
              }
            });
    if (before.isPresent()) {
      options.checkChange(earlier, spec.engineOptions(), checks);
    }
    return checks.errors();
  }

  private void check(String name, String value, Checks checks) {
    Optional<Set<String>> allowed = allowed(name);
    if (allowed.isEmpty()) {
      checks.that(false, FIELD + "[" + name + "]", value, unknown());
    } else {
      checks.that(
          allowed.get().isEmpty() || allowed.get().contains(value),
          FIELD + "[" + name + "]",
          value,
          "must be one of " + String.join(", ", allowed.get()));
    }
  }

  private String unknown() {
    Set<String> names = new TreeSet<>();
    declared.forEach(option -> names.add(option.name()));
    return names.isEmpty()
        ? "engine " + engine + " has no options"
        : "engine " + engine + " has no such option; its options are " + String.join(", ", names);
  }

  /**
   * Returns the permitted values, an empty set for any text; empty if the option is not declared.
   */
  private Optional<Set<String>> allowed(String name) {
    Set<String> values = new TreeSet<>();
    boolean found = false;
    for (DeclaredOption option : declared) {
      if (option.name().equals(name)) {
        if (option.allowed().isEmpty()) {
          return Optional.of(Set.of());
        }
        found = true;
        values.addAll(option.allowed());
      }
    }
    return found ? Optional.of(values) : Optional.empty();
  }

  private void checkChange(Map<String, String> before, Map<String, String> after, Checks checks) {
    Map<String, DeclaredOption> fixed = new TreeMap<>();
    declared.stream().filter(o -> !o.mutable()).forEach(o -> fixed.putIfAbsent(o.name(), o));
    fixed.forEach(
        (name, option) ->
            checks.immutable(
                before.getOrDefault(name, option.defaultValue()),
                after.getOrDefault(name, option.defaultValue()),
                FIELD + "[" + name + "]"));
  }
}
