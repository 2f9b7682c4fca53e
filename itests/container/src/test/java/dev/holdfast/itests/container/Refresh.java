package dev.holdfast.itests.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.FrameworkEvent;
import org.osgi.framework.wiring.FrameworkWiring;

/** Makes the framework refresh bundles, and waits for the end. */
final class Refresh {
  private static final long LIMIT_SECONDS = 60;

  private Refresh() {}

  static void of(BundleContext context, Bundle bundle) throws InterruptedException {
    refresh(context, Set.of(bundle));
  }

  /** Of the bundles that are uninstalled, and only wait to be forgotten. */
  static void ofAllRemoved(BundleContext context) throws InterruptedException {
    refresh(context, null);
  }

  private static void refresh(BundleContext context, Collection<Bundle> bundles)
      throws InterruptedException {
    FrameworkWiring wiring =
        context.getBundle(Constants.SYSTEM_BUNDLE_LOCATION).adapt(FrameworkWiring.class);
    CountDownLatch done = new CountDownLatch(1);
    wiring.refreshBundles(
        bundles,
        event -> {
          if (event.getType() == FrameworkEvent.PACKAGES_REFRESHED) {
            done.countDown();
          }
        });
    assertThat(done.await(LIMIT_SECONDS, TimeUnit.SECONDS)).as("refreshed: " + bundles).isTrue();
  }
}
