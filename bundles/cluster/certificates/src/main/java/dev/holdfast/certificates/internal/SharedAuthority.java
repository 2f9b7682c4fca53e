package dev.holdfast.certificates.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.store.SharedSecrets;
import java.time.Clock;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.ComponentContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Agrees on the authority in a separate thread, for as long as necessary; then enables TLS. */
@Component(
    name = SharedAuthority.NAME,
    enabled = false,
    immediate = true,
    service = SharedAuthority.class)
public final class SharedAuthority {
  static final String NAME = "dev.holdfast.certificates.shared";
  private static final Logger LOG = LoggerFactory.getLogger(SharedAuthority.class);
  private static final long RETRY_SECONDS = 2;

  private final AuthorityAgreement agreement;
  private final ComponentContext components;
  private final CountDownLatch stopped = new CountDownLatch(1);

  /** Starts the thread without waiting. */
  @Activate
  public SharedAuthority(
      ComponentContext components, BundleContext context, @Reference SharedSecrets secrets) {
    this.components = components;
    this.agreement =
        new AuthorityAgreement(NodeTlsService.directory(context), secrets, Clock.systemUTC());
    Thread thread = new Thread(this::run, "holdfast-authority");
    thread.setDaemon(true);
    thread.start();
  }

  /** Retries until the agreement is made; logs the same failure once. */
  private void run() {
    String told = "";
    try {
      do {
        try {
          agreement.make();
          components.enableComponent(NodeTlsService.NAME);
          return;
        } catch (StorageException e) {
          if (!told.equals(e.getMessage())) {
            told = e.getMessage();
            LOG.warn("The cluster's certificate authority is not known yet: {}", told);
          }
        }
      } while (!stopped.await(RETRY_SECONDS, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Deactivate
  void stop() {
    stopped.countDown();
  }
}
