package dev.holdfast.upgrader.internal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.FrameworkEvent;
import org.osgi.framework.FrameworkListener;
import org.osgi.framework.startlevel.BundleStartLevel;
import org.osgi.framework.startlevel.FrameworkStartLevel;
import org.osgi.framework.wiring.FrameworkWiring;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces the upgrader's own bundle. Its code must not wait for the replacement, because the
 * framework stops the bundle during the update. The new content continues the operation.
 */
final class SelfUpdate {
  private static final Logger LOG = LoggerFactory.getLogger(SelfUpdate.class);

  private static final int ATTEMPTS = 600;
  private static final long PAUSE_NANOS = 100_000_000;

  private final Bundle self;
  private final Bundle framework;

  SelfUpdate(Bundle self) {
    this.self = self;
    this.framework = self.getBundleContext().getBundle(0);
  }

  boolean isOf(UpgradeStep step) {
    return step.bundle().equals(self.getSymbolicName())
        && step.way() != ReplacementStrategy.NOTHING;
  }

  /** Returns whether this code equals that of a kept jar. */
  boolean is(Path jar) throws IOException {
    return JarContent.of(self).digest().equals(JarContent.of(jar).digest());
  }

  /**
   * Starts the replacement without waiting. All bundles are wired again together: with the old
   * packages the new content might not start, nor the old with the new ones.
   *
   * @param changed other bundles with new content
   */
  void to(Path jar, Collection<Bundle> changed) {
    // Loads all classes that are needed after the update.
    List<Bundle> unused = missed();
    FrameworkWiring wiring = framework.adapt(FrameworkWiring.class);
    List<Bundle> all = new ArrayList<>(changed);
    all.add(self);
    // After the start only classes of Java and the framework may be loaded.
    FrameworkListener wired = this::start;
    Thread thread = new Thread(() -> become(jar, wiring, all, wired), "holdfast-upgrade-self");
    thread.setDaemon(true);
    thread.start();
  }

  private void start(FrameworkEvent event) {
    if (event.getType() == FrameworkEvent.PACKAGES_REFRESHED) {
      start(self);
      for (Bundle bundle : missed()) {
        start(bundle);
      }
    }
  }

  private static void start(Bundle bundle) {
    try {
      boolean lazily = bundle.adapt(BundleStartLevel.class).isActivationPolicyUsed();
      bundle.start(Bundle.START_TRANSIENT | (lazily ? Bundle.START_ACTIVATION_POLICY : 0));
    } catch (BundleException | IllegalStateException e) {
      LOG.error("{} does not start", bundle, e);
    }
  }

  /**
   * Returns the bundles that should run and do not. The container raises its start level while all
   * bundles are wired again. If both need the same locks, the framework aborts the start of a
   * bundle and does not retry.
   */
  private List<Bundle> missed() {
    int level = framework.adapt(FrameworkStartLevel.class).getStartLevel();
    List<Bundle> missed = new ArrayList<>();
    for (Bundle bundle : framework.getBundleContext().getBundles()) {
      BundleStartLevel own = bundle.adapt(BundleStartLevel.class);
      boolean idle = (bundle.getState() & (Bundle.INSTALLED | Bundle.RESOLVED)) != 0;
      boolean fragment = bundle.getHeaders("").get(Constants.FRAGMENT_HOST) != null;
      if (idle && !fragment && own.isPersistentlyStarted() && own.getStartLevel() <= level) {
        missed.add(bundle);
      }
    }
    return missed;
  }

  private void become(Path jar, FrameworkWiring wiring, List<Bundle> all, FrameworkListener wired) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      try (InputStream content = Files.newInputStream(jar)) {
        self.stop(Bundle.STOP_TRANSIENT);
        self.update(content);
        wiring.refreshBundles(all, wired);
        return;
      } catch (IllegalStateException e) {
        // The bundle is just being started or stopped.
        LockSupport.parkNanos(PAUSE_NANOS);
      } catch (BundleException | IOException e) {
        LOG.error("{} does not become {}; the next start tries again", self, jar, e);
        return;
      }
    }
    LOG.error("{} does not become {}; the next start tries again", self, jar);
  }
}
