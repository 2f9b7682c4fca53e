package dev.holdfast.datapath;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.datapath.testkit.FakeEngine;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.upgrade.BundleTrouble;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.osgi.framework.Version;

/** The preferred engine when several bundles offer one name. */
class InstalledPluginsTest {
  private static final String FIRST = "dev.example.first";
  private static final String SECOND = "dev.example.second";

  private final InstalledPlugins plugins = new InstalledPlugins();
  private final EngineProvider engine = new FakeEngine("fake", new FakeEngine.Disks());
  private final EngineProvider other = new FakeEngine("fake", new FakeEngine.Disks());
  private final List<String> events = new ArrayList<>();

  @BeforeEach
  void observe() {
    plugins.addObserver(
        new InstalledPlugins.Observer() {
          @Override
          public void engineArrived(String name) {
            events.add("arrived " + name);
          }

          @Override
          public void frontendArrived() {
            events.add("frontend");
          }

          @Override
          public void engineLeaving(EngineProvider leaving) {
            events.add(leaving == other ? "other leaves" : "engine leaves");
          }
        });
  }

  private void add(EngineProvider added, long bundle, String symbolicName, String version) {
    plugins.add(new InstalledEngine(added, bundle, symbolicName, Version.parseVersion(version), 0));
  }

  @Test
  void higherVersionFromAnotherBundleIsRefused() {
    add(engine, 1, FIRST, "1.0.0");
    add(other, 2, SECOND, "9.0.0");

    assertThat(plugins.engine("fake")).containsSame(engine);
    assertThat(plugins.engines("fake")).hasSize(1);
    assertThat(events).containsExactly("arrived fake");
    assertThat(plugins.troubles())
        .singleElement()
        .satisfies(
            trouble -> {
              assertThat(trouble.kind()).isEqualTo(BundleTrouble.Kind.DUPLICATE_NAME);
              assertThat(trouble.bundle()).isEqualTo(2);
              assertThat(trouble.message()).contains("engine fake", FIRST);
            });
  }

  @Test
  void higherVersionOfTheSameBundleCounts() {
    add(engine, 1, FIRST, "1.0.0");
    add(other, 2, FIRST, "9.0.0");

    assertThat(plugins.engine("fake")).containsSame(other);
    assertThat(plugins.troubles()).isEmpty();
  }

  @Test
  void nameIsNotOfferedWhileOnlyTheRefusedBundleIsThere() {
    add(engine, 1, FIRST, "1.0.0");
    add(other, 2, SECOND, "1.0.0");
    plugins.removeEngine(engine);

    assertThat(plugins.engine("fake")).isEmpty();
    assertThat(plugins.engineNames()).isEmpty();
  }

  @Test
  void engineOfAnotherBundleLeavesWhenOursArrives() {
    add(other, 2, SECOND, "9.0.0");
    add(engine, 1, "dev.holdfast.engine.fake", "1.0.0");

    assertThat(plugins.engine("fake")).containsSame(engine);
    assertThat(events).containsExactly("arrived fake", "other leaves", "arrived fake");
  }
}
