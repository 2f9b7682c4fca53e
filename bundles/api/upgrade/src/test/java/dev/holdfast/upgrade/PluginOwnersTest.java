package dev.holdfast.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PluginOwnersTest {
  private static final String OURS = "dev.holdfast.engine.sparse";
  private static final String FIRST = "dev.example.first";
  private static final String SECOND = "dev.example.second";

  private final Set<String> installed = new HashSet<>(Set.of(OURS, FIRST, SECOND));
  private final List<String> log = new ArrayList<>();
  private final PluginOwners<Object> owners =
      new PluginOwners<>("engine", installed::contains, () -> Instant.EPOCH, log::add);

  private final Object older = new Object();
  private final Object newer = new Object();
  private final Object other = new Object();

  private List<Object> add(Object plugin, long bundle, String symbolicName, String version) {
    return owners.add(plugin, "sparse", new PluginOrigin(bundle, symbolicName, version));
  }

  @Test
  void newerVersionOfTheOwnerIsAdmitted() {
    assertThat(add(older, 1, FIRST, "1.0.0")).isEmpty();
    assertThat(add(newer, 2, FIRST, "2.0.0")).isEmpty();

    assertThat(owners.admits(older)).isTrue();
    assertThat(owners.admits(newer)).isTrue();
    assertThat(owners.troubles()).isEmpty();
    assertThat(log).isEmpty();
  }

  @Test
  void laterBundleIsRefusedUntilItIsRemoved() {
    add(older, 1, FIRST, "1.0.0");
    assertThat(add(other, 2, SECOND, "9.0.0")).isEmpty();

    assertThat(owners.admits(older)).isTrue();
    assertThat(owners.admits(other)).isFalse();
    assertThat(owners.knows(other)).isTrue();
    assertThat(owners.troubles())
        .singleElement()
        .satisfies(
            trouble -> {
              assertThat(trouble.kind()).isEqualTo(BundleTrouble.Kind.DUPLICATE_NAME);
              assertThat(trouble.bundle()).isEqualTo(2);
              assertThat(trouble.name()).isEqualTo("dev.example.second 9.0.0");
              assertThat(trouble.message())
                  .contains("engine sparse", "dev.example.first 1.0.0 (bundle 1)")
                  .contains("bundle:uninstall 2", "bundle:uninstall 1", "bundle:restart 2");
            });
    assertThat(log)
        .singleElement()
        .asString()
        .contains("dev.example.second 9.0.0", "dev.example.first 1.0.0");

    owners.remove(other);
    assertThat(owners.troubles()).isEmpty();
  }

  @Test
  void nameStaysWithItsBundleWhileThatIsUpdated() {
    add(older, 1, FIRST, "1.0.0");
    owners.remove(older);
    add(other, 2, SECOND, "1.0.0");
    assertThat(owners.admits(other)).isFalse();

    add(newer, 1, FIRST, "1.0.1");
    assertThat(owners.admits(newer)).isTrue();
    assertThat(owners.admits(other)).isFalse();
  }

  @Test
  void refusedBundleGetsTheNameAfterTheOwnerIsUninstalledAndItIsRestarted() {
    add(older, 1, FIRST, "1.0.0");
    add(other, 2, SECOND, "1.0.0");
    owners.remove(older);
    installed.remove(FIRST);

    owners.remove(other);
    add(other, 2, SECOND, "1.0.0");
    assertThat(owners.admits(other)).isTrue();
    assertThat(owners.troubles()).isEmpty();
  }

  @Test
  void ownBundleTakesItsNameFromAnotherThatStartedEarlier() {
    add(other, 2, FIRST, "9.0.0");

    assertThat(add(older, 1, OURS, "1.0.0")).containsExactly(other);
    assertThat(owners.admits(older)).isTrue();
    assertThat(owners.admits(other)).isFalse();
    assertThat(owners.troubles())
        .singleElement()
        .satisfies(
            trouble ->
                assertThat(trouble.message())
                    .contains("bundle:uninstall 2", "another name")
                    .doesNotContain("bundle:restart"));
  }

  /** Releases move a controller from one bundle of ours to another. */
  @Test
  void ownBundlesDoNotRefuseEachOther() {
    add(older, 1, OURS, "1.0.0");

    assertThat(add(newer, 2, "dev.holdfast.engine", "2.0.0")).isEmpty();
    assertThat(owners.admits(older)).isTrue();
    assertThat(owners.admits(newer)).isTrue();
  }

  @Test
  void otherNamesAreFree() {
    add(older, 1, FIRST, "1.0.0");
    owners.add(other, "mirror", new PluginOrigin(2, SECOND, "1.0.0"));

    assertThat(owners.admits(other)).isTrue();
  }

  @Test
  void retainForgetsAllOthers() {
    add(older, 1, FIRST, "1.0.0");
    add(other, 2, SECOND, "1.0.0");
    owners.retain(List.of(older));

    assertThat(owners.knows(older)).isTrue();
    assertThat(owners.knows(other)).isFalse();
    assertThat(owners.troubles()).isEmpty();
  }
}
