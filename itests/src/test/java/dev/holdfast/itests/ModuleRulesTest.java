package dev.holdfast.itests;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
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

  /** What a plugin may use: the contracts, the operating system, protocols and calls. */
  private static final Set<String> FOR_PLUGINS =
      Set.of(
          "dev.holdfast.error",
          "dev.holdfast.resource",
          "dev.holdfast.block",
          "dev.holdfast.engine",
          "dev.holdfast.frontend",
          "dev.holdfast.attacher",
          "dev.holdfast.initiator",
          "dev.holdfast.posix",
          "dev.holdfast.rpc",
          "dev.holdfast.nbd",
          "dev.holdfast.reservation",
          "dev.holdfast.engine.sparse.rpc");

  /** An attacher owns the reconciler of its tickets. */
  private static final Set<String> FOR_ATTACHERS =
      Set.of("dev.holdfast.controller", "dev.holdfast.store");

  private static final List<String> PLUGINS =
      List.of("dev.holdfast.engine.", "dev.holdfast.frontend.", "dev.holdfast.attacher.");

  private static List<Path> modules;
  private static JavaClasses platform;

  @BeforeAll
  static void read() throws IOException {
    try (Stream<Path> folders =
        Stream.of("bundles", "engines", "frontends", "attachers")
            .map(TREE::resolve)
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
      return found.filter(child -> !child.toString().endsWith("-testkit")).toList().stream();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** The root package of the bundle that a package belongs to. */
  private static String bundle(String packageName) {
    int internal = packageName.indexOf(INTERNAL);
    return internal < 0 ? packageName : packageName.substring(0, internal);
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
      return PLUGINS.stream().anyMatch(type.getPackageName()::startsWith)
          && !type.getPackageName().contains(".testkit");
    }
  }

  private static final class OnlyBeUsedByTheirOwnBundle extends ArchCondition<JavaClass> {
    OnlyBeUsedByTheirOwnBundle() {
      super("only be used by their own bundle");
    }

    @Override
    public void check(JavaClass type, ConditionEvents events) {
      type.getDirectDependenciesToSelf().stream()
          .filter(
              use ->
                  !bundle(use.getOriginClass().getPackageName())
                      .equals(bundle(type.getPackageName())))
          .forEach(use -> events.add(SimpleConditionEvent.violated(type, use.getDescription())));
    }
  }

  private static final class UseOnlyContractsAndThemselves extends ArchCondition<JavaClass> {
    UseOnlyContractsAndThemselves() {
      super("use contracts and themselves only");
    }

    @Override
    public void check(JavaClass type, ConditionEvents events) {
      String own = bundle(type.getPackageName());
      boolean attacher = own.startsWith("dev.holdfast.attacher.");
      type.getDirectDependenciesFromSelf().stream()
          .filter(
              use -> {
                String used = use.getTargetClass().getPackageName();
                return used.startsWith("dev.holdfast.")
                    && !bundle(used).equals(own)
                    && !FOR_PLUGINS.contains(used)
                    && !(attacher && FOR_ATTACHERS.contains(used));
              })
          .forEach(use -> events.add(SimpleConditionEvent.violated(type, use.getDescription())));
    }
  }

  private static final class Bundles implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      return type.getPackageName().startsWith("dev.holdfast.")
          ? SliceIdentifier.of(bundle(type.getPackageName()))
          : SliceIdentifier.ignore();
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
