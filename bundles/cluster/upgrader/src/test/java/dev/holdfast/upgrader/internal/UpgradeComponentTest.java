package dev.holdfast.upgrader.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Provider;
import java.security.Security;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleEvent;
import org.osgi.framework.BundleException;
import org.osgi.framework.SynchronousBundleListener;

/** Replaces bundles of a real framework. */
class UpgradeComponentTest extends UpgradeFixture {
  @Test
  void bundleWithoutAMoverIsReplacedInPlaceAndRolledBackOnDemand() throws Exception {
    Bundle bundle = install(TestJar.of(PLUGIN, "1.0.0"));
    Operation planned =
        request(UpgradeRequest.Action.PLAN, TestJar.of(PLUGIN, "1.1.0").in(folder).toString());
    assertThat(planned.steps())
        .extracting(UpgradeStep::way)
        .containsExactly(ReplacementStrategy.IN_PLACE);
    assertThat(versions()).containsExactly("1.0.0");

    assertThat(upgrade(TestJar.of(PLUGIN, "1.1.0")).state()).isEqualTo(Operation.State.DONE);
    assertThat(versions()).containsExactly("1.1.0");
    assertThat(context().getBundle(bundle.getBundleId()).getVersion()).hasToString("1.1.0");

    assertThat(request(UpgradeRequest.Action.ROLLBACK, "").state()).isEqualTo(Operation.State.DONE);
    assertThat(versions()).containsExactly("1.0.0");
    assertThat(request(UpgradeRequest.Action.ROLLBACK, "").state())
        .isEqualTo(Operation.State.REFUSED);
  }

  @Test
  void versionThatDoesNotStartIsRolledBack() throws Exception {
    install(TestJar.of(PLUGIN, "1.0.0"));
    Operation failed = upgrade(TestJar.of(PLUGIN, "1.1.0").startedBy(FailingActivator.class));
    assertThat(failed.state()).isEqualTo(Operation.State.WENT_BACK);
    assertThat(failed.reason()).contains("planted: it does not start");
    assertThat(versions()).containsExactly("1.0.0");
  }

  @Test
  void securityProvidersOfBundlesDoNotOutliveTheFramework() throws Exception {
    List<Provider> before = List.of(Security.getProviders());
    install(TestJar.of(PLUGIN, "1.0.0").startedBy(ProvidingActivator.class));
    assertThat(Security.getProvider(ProvidingActivator.NAME)).isNotNull();
    BundleProviders.remove();
    assertThat(Security.getProviders()).containsExactlyElementsOf(before);
  }

  @Test
  void sessionsMoveToTheBundleBesideAndBackToALowerVersion() throws Exception {
    install(TestJar.of(PLUGIN, "1.0.0"));
    mover("9.9.9");
    Operation done = upgrade(TestJar.of(PLUGIN, "1.1.0"));
    assertThat(done.state()).as(done.reason()).isEqualTo(Operation.State.DONE);
    assertThat(done.steps())
        .extracting(UpgradeStep::way)
        .containsExactly(ReplacementStrategy.SIDE_BY_SIDE);
    assertThat(versions()).containsExactly("1.1.0");

    Operation back = request(UpgradeRequest.Action.ROLLBACK, "");
    assertThat(back.steps())
        .extracting(UpgradeStep::way)
        .containsExactly(ReplacementStrategy.SIDE_BY_SIDE);
    assertThat(back.state()).as(back.reason()).isEqualTo(Operation.State.DONE);
    assertThat(versions()).containsExactly("1.0.0");
  }

  @Test
  void versionThatDoesNotTakeOverIsRemoved() throws Exception {
    install(TestJar.of(PLUGIN, "1.0.0"));
    mover("1.1.0");
    Operation failed = upgrade(TestJar.of(PLUGIN, "1.1.0"));
    assertThat(failed.state()).isEqualTo(Operation.State.WENT_BACK);
    assertThat(failed.reason()).contains("planted: no resume");
    assertThat(versions()).containsExactly("1.0.0");
  }

  @Test
  void aRequestIsDoneOnceHoweverOftenItIsSeen() throws Exception {
    install(TestJar.of(PLUGIN, "1.0.0"));
    UpgradeRequest first =
        new UpgradeRequest(
            "first",
            UpgradeRequest.Action.APPLY,
            TestJar.of(PLUGIN, "1.1.0").in(folder).toString(),
            false);
    upgrades.submit(first);
    await(() -> upgrades.hasEnded("first"));
    request(UpgradeRequest.Action.ROLLBACK, "");
    upgrades.deactivate();

    upgrades = new UpgradeComponent(context());
    upgrades.submit(first);

    request(UpgradeRequest.Action.PLAN, TestJar.of(PLUGIN, "1.2.0").in(folder).toString());
    assertThat(versions()).containsExactly("1.0.0");
  }

  @Test
  void aBundleForNewerPackagesIsRefusedByName() throws Exception {
    install(
        TestJar.of("dev.holdfast.engine", "1.0.0")
            .header("Export-Package", "dev.holdfast.engine;version=\"1.2.0\""));
    install(TestJar.of(PLUGIN, "1.0.0"));
    Operation refused =
        upgrade(
            TestJar.of(PLUGIN, "1.1.0")
                .header("Import-Package", "dev.holdfast.engine;version=\"[1.9,2)\""));
    assertThat(refused.state()).isEqualTo(Operation.State.REFUSED);
    assertThat(refused.reason())
        .contains(PLUGIN + " 1.1.0", "dev.holdfast.engine", "[1.9.0,2.0.0)", "1.2.0");
    assertThat(versions()).containsExactly("1.0.0");
  }

  @Test
  void operationInterruptedByAKillIsRolledBackAtTheNextStart() throws Exception {
    install(TestJar.of(PLUGIN, "1.0.0"));
    Operation done = upgrade(TestJar.of(PLUGIN, "1.1.0"));
    upgrades.deactivate();
    new Journal(folder.resolve("data/upgrade/journal.json"))
        .record(
            new Operation(
                done.id(),
                done.source(),
                Operation.State.RUNNING,
                done.started(),
                "",
                "",
                "",
                List.of(done.steps().get(0).in(UpgradeStep.State.RUNNING))));

    upgrades = new UpgradeComponent(context());

    await(() -> versions().equals(List.of("1.0.0")));
    assertThat(upgrades.operations().get(0).state()).isEqualTo(Operation.State.WENT_BACK);
  }

  @Test
  void aPlainUpdateThatDoesNotStartIsTakenBack() throws Exception {
    Bundle bundle = install(TestJar.of(PLUGIN, "1.0.0"));
    updateToOneThatDoesNotStart(bundle);
    await(() -> !upgrades.operations().isEmpty() && upgrades.operations().get(0).state().isFinal());
    assertThat(upgrades.operations().get(0).state()).isEqualTo(Operation.State.WENT_BACK);
    assertThat(versions()).containsExactly("1.0.0");
  }

  @Test
  void failedUpdateDoesNotRollBackToATriedVersion() throws Exception {
    Bundle bundle = install(TestJar.of(PLUGIN, "1.0.0"));
    await(() -> Files.exists(folder.resolve("data/upgrade/good.json")));
    Bundle tried = install(TestJar.of(PLUGIN, "9.0.0"));
    await(() -> versions().equals(List.of("9.0.0")));
    tried.uninstall();
    await(() -> versions().equals(List.of("1.0.0")));
    updateToOneThatDoesNotStart(bundle);
    await(() -> !upgrades.operations().isEmpty() && upgrades.operations().get(0).state().isFinal());
    assertThat(versions()).containsExactly("1.0.0");
  }

  @Test
  void failedUpdateRollsBackToTheRemainingVersion() throws Exception {
    Path good = folder.resolve("data/upgrade/good.json");
    Bundle first = install(TestJar.of(PLUGIN, "1.0.0"));
    await(() -> Files.exists(good));
    Bundle left = install(TestJar.of(PLUGIN, "9.0.0"));
    await(() -> versions().equals(List.of("9.0.0")));
    first.uninstall();
    await(() -> text(good).contains("\"9.0.0\""));
    updateToOneThatDoesNotStart(left);
    await(() -> ended(Operation.State.WENT_BACK));
    assertThat(versions()).containsExactly("9.0.0");
  }

  private boolean ended(Operation.State state) {
    return upgrades.operations().stream().anyMatch(one -> one.state() == state);
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void uninstallingAFailedUpdateByHandRollsBackNoOtherBundle() throws Exception {
    Bundle bundle = install(TestJar.of(PLUGIN, "1.0.0"));
    updateToOneThatDoesNotStart(bundle);
    install(TestJar.of(PLUGIN, "1.2.0"));
    bundle.uninstall();
    // The request runs after the failed update was handled.
    Operation asked =
        request(UpgradeRequest.Action.PLAN, TestJar.of(PLUGIN, "1.3.0").in(folder).toString());
    assertThat(asked.steps().get(0).versionBefore()).isEqualTo("1.2.0");
    assertThat(versions()).containsExactly("1.2.0");
  }

  private void updateToOneThatDoesNotStart(Bundle bundle) throws Exception {
    Path kept = folder.resolve("data/upgrade/good.json");
    await(() -> Files.exists(kept));
    Path jar = TestJar.of(PLUGIN, "1.1.0").startedBy(FailingActivator.class).in(folder);
    bundle.stop();
    try (InputStream broken = Files.newInputStream(jar)) {
      bundle.update(broken);
      bundle.start();
    } catch (BundleException e) {
      // The bundle starts if this thread was so slow that the former jar was already restored.
      assertThat(e).hasStackTraceContaining("planted");
    }
  }

  @Test
  void higherVersionReplacesTheLowerOneUntilItIsRemoved() throws Exception {
    install(TestJar.of(PLUGIN, "1.0.0"));
    Bundle higher = install(TestJar.of(PLUGIN, "1.1.0"));
    await(() -> versions().equals(List.of("1.1.0")));
    higher.uninstall();
    await(() -> versions().equals(List.of("1.0.0")));
  }

  @Test
  void bundleThatAUserStopsTransientlyStaysStopped() throws Exception {
    Bundle bundle = install(TestJar.of(PLUGIN, "1.0.0"));
    bundle.stop(Bundle.STOP_TRANSIENT);
    everythingNoticedIsDealtWith();
    assertThat(versions()).isEmpty();
  }

  @Test
  void theLowerVersionRunsWhileThatBesideIsStopped() throws Exception {
    install(TestJar.of(PLUGIN, "1.0.0"));
    Bundle higher = install(TestJar.of(PLUGIN, "1.1.0"));
    await(() -> versions().equals(List.of("1.1.0")));
    higher.stop(Bundle.STOP_TRANSIENT);
    await(() -> versions().equals(List.of("1.0.0")));
    higher.start();
    await(() -> versions().equals(List.of("1.1.0")));
  }

  @Test
  void lowerVersionRunsAgainAfterTheHigherOneIsRemoved() throws Exception {
    install(TestJar.of(PLUGIN, "1.0.0"));
    Bundle higher = install(TestJar.of(PLUGIN, "1.1.0"));
    await(() -> versions().equals(List.of("1.1.0")));
    upgrades.deactivate();
    upgrades = new UpgradeComponent(context());
    everythingNoticedIsDealtWith();
    higher.uninstall();
    await(() -> versions().equals(List.of("1.0.0")));
  }

  /** Returns after all earlier events were handled. */
  private void everythingNoticedIsDealtWith() throws IOException {
    for (int i = 0; i < 10; i++) {
      request(UpgradeRequest.Action.PLAN, TestJar.of(PLUGIN, "9.9.0").in(folder).toString());
    }
  }

  @Test
  void removedBundleThatUsedAServiceIsNotKeptInMemory() throws Exception {
    var used = context().registerService(Runnable.class, () -> {}, null);
    WeakReference<Bundle> gone = usedAndUninstalled();

    await(
        () -> {
          System.gc();
          return gone.refersTo(null);
        });

    assertThat(used.getReference().getUsingBundles()).isNull();
  }

  private WeakReference<Bundle> usedAndUninstalled() throws Exception {
    Bundle bundle = install(TestJar.of(PLUGIN, "1.0.0").startedBy(UsingActivator.class));
    bundle.uninstall();
    return new WeakReference<>(bundle);
  }

  @Test
  void aBundleThatDoesNotStartIsNotTriedOverAndOver() throws Exception {
    AtomicInteger starts = new AtomicInteger();
    SynchronousBundleListener counter =
        event -> starts.addAndGet(event.getType() == BundleEvent.STARTING ? 1 : 0);
    context().addBundleListener(counter);
    assertThatThrownBy(() -> install(TestJar.of(PLUGIN, "1.0.0").startedBy(FailingActivator.class)))
        .hasStackTraceContaining("planted");

    everythingNoticedIsDealtWith();

    assertThat(starts).hasValueLessThanOrEqualTo(2);
    context().removeBundleListener(counter);
  }
}
