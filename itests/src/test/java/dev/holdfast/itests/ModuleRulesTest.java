package dev.holdfast.itests;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.Source;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Who may use whom. The classes are read from the modules' own build folders. */
class ModuleRulesTest {
  private static final Path TREE = Path.of(System.getProperty("holdfast.tree")).normalize();
  private static final String INTERNAL = ".internal";
  private static final String CLASSES = "/target/classes/";

  private static final Set<String> PLUGIN_FOLDERS = Set.of("engines", "frontends", "attachers");

  /** Only an attacher owns a reconciler, that of its tickets. */
  private static final Set<String> FOR_ATTACHERS =
      Set.of("bundles/api/controller", "bundles/api/store");

  private static List<Path> modules;
  private static JavaClasses platform;

  @BeforeAll
  static void read() throws IOException {
    try (Stream<Path> folders =
        Stream.concat(
                children(TREE.resolve("bundles")).filter(group -> !group.endsWith("testkit")),
                Stream.of("engines", "frontends", "attachers").map(TREE::resolve))
            .flatMap(ModuleRulesTest::children)) {
      modules =
          folders
              .map(folder -> folder.resolve("target/classes"))
              .filter(Files::isDirectory)
              .toList();
    }
    platform = new ClassFileImporter().importPaths(modules);
    assertThat(platform).hasSizeGreaterThan(100);
  }

  @Test
  void nobodyUsesTheInternalsOfAnother() {
    classes().that(new Internal()).should(new OnlyBeUsedByTheirOwnBundle()).check(platform);
  }

  @Test
  void pluginsUseContractsOnly() {
    classes().that(new Plugin()).should(new UseOnlyContractsAndThemselves()).check(platform);
  }

  @Test
  void bundlesHaveNoCycles() {
    slices().assignedFrom(new Bundles()).should().beFreeOfCycles().check(platform);
  }

  @Test
  void packagesOfTheSparseEngineHaveNoCycles() {
    JavaClasses engine =
        platform.that(
            DescribedPredicate.describe(
                "are the sparse engine's",
                type -> type.getPackageName().startsWith("dev.holdfast.engine.sparse.internal")));
    assertThat(engine).hasSizeGreaterThan(100);
    slices().assignedFrom(new Packages()).should().beFreeOfCycles().check(engine);
  }

  @Test
  void everyPackageIsInOneBundle() throws IOException {
    Map<String, Set<Path>> owners = new TreeMap<>();
    for (Path module : modules) {
      try (Stream<Path> files = Files.walk(module)) {
        files
            .filter(file -> file.toString().endsWith(".class"))
            .forEach(
                file ->
                    owners
                        .computeIfAbsent(
                            module.relativize(file.getParent()).toString(), name -> new TreeSet<>())
                        .add(module));
      }
    }
    assertThat(owners).allSatisfy((name, where) -> assertThat(where).as(name).hasSize(1));
  }

  private static Stream<Path> children(Path folder) {
    try (Stream<Path> found = Files.list(folder)) {
      return found.filter(Files::isDirectory).toList().stream();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Returns the folder of the module that a class belongs to; empty when it is not ours. */
  private static String module(JavaClass type) {
    return type.getSource()
        .map(Source::getUri)
        .filter(uri -> "file".equals(uri.getScheme()))
        .map(uri -> TREE.relativize(Path.of(uri)).toString())
        .filter(path -> path.contains(CLASSES))
        .map(path -> path.substring(0, path.indexOf(CLASSES)))
        .orElse("");
  }

  private static String topFolder(JavaClass type) {
    return module(type).replaceFirst("/.*", "");
  }

  /** Contracts, libraries, calls between nodes, and generated code of the plugin's own. */
  private static boolean mayUse(JavaClass plugin, JavaClass used) {
    String own = module(plugin);
    String other = module(used);
    if (FOR_ATTACHERS.contains(other)) {
      return topFolder(plugin).equals("attachers");
    }
    return other.isEmpty()
        || other.equals(own)
        || other.equals(own + "-rpc")
        || other.startsWith("bundles/api/")
        || other.startsWith("bundles/lib/")
        || other.equals("bundles/cluster/rpc");
  }

  private static final class Internal extends DescribedPredicate<JavaClass> {
    Internal() {
      super("are internal");
    }

    @Override
    public boolean test(JavaClass type) {
      return (type.getPackageName() + ".").contains(INTERNAL + ".");
    }
  }

  private static final class Plugin extends DescribedPredicate<JavaClass> {
    Plugin() {
      super("belong to plugins");
    }

    @Override
    public boolean test(JavaClass type) {
      return PLUGIN_FOLDERS.contains(topFolder(type));
    }
  }

  private static final class OnlyBeUsedByTheirOwnBundle extends ArchCondition<JavaClass> {
    OnlyBeUsedByTheirOwnBundle() {
      super("only be used by their own bundle");
    }

    @Override
    public void check(JavaClass type, ConditionEvents events) {
      type.getDirectDependenciesToSelf().stream()
          .filter(use -> !module(use.getOriginClass()).equals(module(type)))
          .forEach(use -> events.add(SimpleConditionEvent.violated(type, use.getDescription())));
    }
  }

  private static final class UseOnlyContractsAndThemselves extends ArchCondition<JavaClass> {
    UseOnlyContractsAndThemselves() {
      super("use contracts and themselves only");
    }

    @Override
    public void check(JavaClass type, ConditionEvents events) {
      type.getDirectDependenciesFromSelf().stream()
          .filter(use -> !mayUse(type, use.getTargetClass()))
          .forEach(use -> events.add(SimpleConditionEvent.violated(type, use.getDescription())));
    }
  }

  private static final class Bundles implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      String module = module(type);
      return module.isEmpty() ? SliceIdentifier.ignore() : SliceIdentifier.of(module);
    }

    @Override
    public String getDescription() {
      return "bundles";
    }
  }

  private static final class Packages implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      return SliceIdentifier.of(type.getPackageName());
    }

    @Override
    public String getDescription() {
      return "packages";
    }
  }
}
