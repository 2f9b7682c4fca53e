package dev.holdfast.node.internal;

import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.ReplicaPlaces;
import dev.holdfast.engine.DiskEngine;
import dev.holdfast.engine.EngineOption;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.resource.node.DeclaredOption;
import dev.holdfast.resource.node.EngineDisks;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Declarations of engines about options and disks, in the form of the node's report. */
final class EngineDeclarations {
  private EngineDeclarations() {}

  /** Returns the options of each installed engine with options, by name. */
  static Map<String, List<DeclaredOption>> options(InstalledPlugins plugins) {
    Map<String, List<DeclaredOption>> options = new TreeMap<>();
    for (String name : plugins.engineNames()) {
      plugins
          .engine(name)
          .map(EngineProvider::options)
          .filter(declared -> !declared.isEmpty())
          .ifPresent(declared -> options.put(name, options(declared)));
    }
    return options;
  }

  private static List<DeclaredOption> options(Set<EngineOption> declared) {
    return declared.stream()
        .map(
            option ->
                new DeclaredOption(
                    option.name(),
                    option.allowed().stream().sorted().toList(),
                    option.defaultValue(),
                    option.mutable()))
        .sorted(Comparator.comparing(DeclaredOption::name))
        .toList();
  }

  /** Returns the declaration of each installed engine about disks, by name. */
  static Map<String, EngineDisks> disks(InstalledPlugins plugins) {
    Map<String, EngineDisks> disks = new TreeMap<>();
    for (String name : plugins.engineNames()) {
      plugins
          .engine(name)
          .filter(DiskEngine.class::isInstance)
          .map(DiskEngine.class::cast)
          .ifPresent(engine -> disks.put(name, disks(engine)));
    }
    return disks;
  }

  private static EngineDisks disks(DiskEngine engine) {
    return new EngineDisks(
        engine.diskKinds().stream().map(ReplicaPlaces::type).sorted().toList(),
        engine.topology().name(),
        engine.fencing().name());
  }
}
