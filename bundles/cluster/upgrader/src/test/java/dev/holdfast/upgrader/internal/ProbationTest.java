package dev.holdfast.upgrader.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.upgrade.BundleTrouble;
import dev.holdfast.upgrade.BundleTroubles;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleException;

/** Actions of a new version during its probation. */
class ProbationTest extends UpgradeFixture {
  /** Longer than any test, because each test ends it earlier. */
  @Override
  String probation() {
    return "60";
  }

  private Bundle newOne() {
    return Arrays.stream(context().getBundles())
        .filter(bundle -> bundle.getVersion().toString().equals("1.1.0"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void bundleThatStopsIsRemovedAndTheOldOneServesTheSessionsAgain() throws Exception {
    Bundle unused = install(TestJar.of(PLUGIN, "1.0.0"));
    mover("9.9.9");
    String id =
        submit(UpgradeRequest.Action.APPLY, TestJar.of(PLUGIN, "1.1.0").in(folder).toString());
    await(() -> versions().contains("1.1.0"));
    newOne().stop();
    Operation failed = outcome(id);
    assertThat(failed.state()).isEqualTo(Operation.State.WENT_BACK);
    assertThat(failed.reason()).containsAnyOf("1.1.0 is not active", "does not offer");
    assertThat(versions()).containsExactly("1.0.0");
  }

  @Test
  void bundleThatWasReplacedInPlaceIsRolledBackToItsOldJar() throws Exception {
    Bundle bundle = install(TestJar.of(PLUGIN, "1.0.0"));
    String id =
        submit(UpgradeRequest.Action.APPLY, TestJar.of(PLUGIN, "1.1.0").in(folder).toString());
    // A stop before its probation is ignored, because the bundle is still starting.
    await(() -> upgrades.hasEnded(id) || stopsNew(bundle));
    assertThat(outcome(id).state()).isEqualTo(Operation.State.WENT_BACK);
    assertThat(versions()).containsExactly("1.0.0");
  }

  @Test
  void bundleWithReportedTroubleIsRolledBack() throws Exception {
    Bundle unused = install(TestJar.of(PLUGIN, "1.0.0"));
    var registration =
        context().registerService(BundleTroubles.class, this::troubleOfTheNewOne, null);
    Operation failed = upgrade(TestJar.of(PLUGIN, "1.1.0"));
    registration.unregister();
    assertThat(failed.state()).isEqualTo(Operation.State.WENT_BACK);
    assertThat(failed.reason()).contains("planted loop");
    assertThat(versions()).containsExactly("1.0.0");
  }

  private List<BundleTrouble> troubleOfTheNewOne() {
    return Arrays.stream(context().getBundles())
        .filter(bundle -> bundle.getVersion().toString().equals("1.1.0"))
        .map(
            bundle ->
                new BundleTrouble(
                    BundleTrouble.Kind.HANGS,
                    Instant.EPOCH,
                    bundle.getBundleId(),
                    "x 1.1.0",
                    "",
                    "planted loop"))
        .toList();
  }

  /**
   * Stops the new version. Always returns false, so that it is repeated until the operation has
   * ended.
   */
  private boolean stopsNew(Bundle bundle) {
    try {
      if (versions().contains("1.1.0")) {
        bundle.stop(Bundle.STOP_TRANSIENT);
      }
      return false;
    } catch (BundleException e) {
      throw new AssertionError(e);
    }
  }
}
