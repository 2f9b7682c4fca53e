package dev.holdfast.upgrader.internal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces the bundle that replaces the others. Its own code must not wait for that: the framework
 * stops it meanwhile, and the content that comes goes on with the operation.
 */
final class SelfUpdate {
  private static final Logger LOG = LoggerFactory.getLogger(SelfUpdate.class);

  private static final int ATTEMPTS = 600;
  private static final long PAUSE_NANOS = 100_000_000;

  private final Bundle self;

  SelfUpdate(Bundle self) {
    this.self = self;
  }

  boolean isOf(Step step) {
    return step.bundle().equals(self.getSymbolicName()) && step.way() != Way.NOTHING;
  }

  /** Returns whether this code is that of a kept jar. */
  boolean is(Path jar) throws IOException {
    return JarContent.of(self).digest().equals(JarContent.of(jar).digest());
  }

  /** Begins; does not wait. */
  void to(Path jar) {
    // Nothing of this bundle may be loaded once it is under way: only Java's and the framework's.
    Thread thread = new Thread(() -> become(jar), "holdfast-upgrade-self");
    thread.setDaemon(true);
    thread.start();
  }

  private void become(Path jar) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      try (InputStream content = Files.newInputStream(jar)) {
        self.update(content);
        return;
      } catch (IllegalStateException e) {
        // It is just being started or stopped.
        LockSupport.parkNanos(PAUSE_NANOS);
      } catch (BundleException | IOException e) {
        LOG.error("{} does not become {}; the next start tries again", self, jar, e);
        return;
      }
    }
    LOG.error("{} does not become {}; the next start tries again", self, jar);
  }
}
