package dev.holdfast.upgrader.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.osgi.framework.Bundle;

/** Results of Karaf's own commands, step by step and without another observer. */
class BundleUpdateGuardTest extends UpgradeFixture {
  private JarStore jars;
  private LastGoodJars good;
  private Journal journal;
  private BundleUpdateGuard plain;

  @BeforeEach
  void lookAlone() throws Exception {
    upgrades.deactivate();
    upgrades = null;
    InstalledBundles bundles = new InstalledBundles(context());
    BundleHealth health = new BundleHealth(context());
    Path place = folder.resolve("alone");
    jars = new JarStore(place.resolve("jars"));
    good = new LastGoodJars(place.resolve("good.json"));
    journal = new Journal(place.resolve("journal.json"));
    plain =
        new BundleUpdateGuard(
            bundles,
            new StepExecutor(
                bundles,
                new ServingParts(context()),
                health,
                UpgradeSettings.from(context()::getProperty)),
            health,
            jars,
            good,
            journal,
            Clock.systemUTC());
  }

  @Test
  void anUpdateAtTheEndOfAnUpgradeIsJudgedByItself() throws Exception {
    Bundle bundle = install(TestJar.of(PLUGIN, "1.1.0"));
    Path upgradedTo = jars.keep(JarContent.of(bundle));
    try (InputStream next = Files.newInputStream(TestJar.of(PLUGIN, "1.2.0").in(folder))) {
      bundle.update(next);
    }

    plain.accept(upgraded(upgradedTo));
    plain.look(bundle, true);

    assertThat(journal.operations())
        .singleElement()
        .satisfies(
            told -> {
              assertThat(told.state()).isEqualTo(Operation.State.DONE);
              assertThat(told.steps().get(0).versionBefore()).isEqualTo("1.1.0");
              assertThat(told.steps().get(0).version()).isEqualTo("1.2.0");
            });
  }

  @Test
  void plannedContentIsNotAcceptedPermanently() throws Exception {
    Bundle bundle = install(TestJar.of(PLUGIN, "1.0.0"));
    plain.look(bundle, true);
    Path planned = jars.keep(JarContent.of(TestJar.of(PLUGIN, "1.1.0").in(folder)));

    plain.accept(operation(planned, UpgradeStep.State.PLANNED, Operation.State.PLANNED));

    assertThat(good.of(PLUGIN)).map(LastGoodJars.Entry::version).contains("1.0.0");
  }

  private static Operation upgraded(Path to) {
    return operation(to, UpgradeStep.State.DONE, Operation.State.DONE);
  }

  private static Operation operation(Path jar, UpgradeStep.State step, Operation.State state) {
    return new Operation(
        "asked",
        "somewhere",
        state,
        "",
        "",
        "",
        "",
        List.of(
            new UpgradeStep(
                PLUGIN,
                "attacher",
                ReplacementStrategy.IN_PLACE,
                "",
                jar.toString(),
                "1.1.0",
                "",
                "",
                80,
                step)));
  }
}
