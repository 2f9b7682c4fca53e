package dev.holdfast.rules;

import java.util.List;

/** A rule of the layout. It reads the tree only. */
interface LayoutRule {
  /** Returns the name under which exceptions are listed. */
  String name();

  /** Returns the violations, each pair of classes or folders once. */
  List<Violation> check(ModuleTree tree);

  static List<LayoutRule> all() {
    return List.of(
        new GroupOrder(),
        new PackageCycles(),
        new PluginContracts(),
        new ReconcilerUse(),
        new InternalPackages(),
        new ApiDependencies(),
        new SizeLimits(),
        new ExportedNames(),
        new ResourceNames(),
        new RecordConstructors(),
        new ConditionNames());
  }
}
