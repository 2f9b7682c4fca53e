package dev.holdfast.support.internal;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.health.ClusterCheck;
import dev.holdfast.health.HealthFinding;
import dev.holdfast.health.HealthReport;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.store.ResourceStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/** The health report of a node. */
@Component
public final class HealthComponent implements HealthReport {
  private static final String OWN = "dev.holdfast.support";
  private static final String DEFAULT_NODE_NAME = "node-1";

  private final ExecutorService threads = threads();
  private final AllChecks checks = new AllChecks(threads, AllChecks.LIMIT);

  /** Starts with the checks of the platform. */
  @Activate
  public HealthComponent(
      @Reference ResourceStore store,
      @Reference KindCatalogue kinds,
      @Reference NodeTls tls,
      BundleContext context) {
    String node =
        Optional.ofNullable(context.getProperty("holdfast.node.name")).orElse(DEFAULT_NODE_NAME);
    checks.add(new ResourceChecks(store, kinds, InstantSource.system()), OWN);
    checks.add(
        () ->
            CertificateCheck.findings(
                node,
                Map.of("server", tls.certificate(), "authority", tls.caCertificate()),
                Instant.now()),
        OWN);
  }

  private static ExecutorService threads() {
    AtomicInteger number = new AtomicInteger();
    return Executors.newCachedThreadPool(
        task -> {
          Thread thread = new Thread(task, "holdfast-health-" + number.incrementAndGet());
          thread.setDaemon(true);
          return thread;
        });
  }

  /** Adds a check of another bundle. */
  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  void addCheck(ClusterCheck check) {
    checks.add(check, FrameworkUtil.getBundle(check.getClass()).getSymbolicName());
  }

  void removeCheck(ClusterCheck check) {
    checks.remove(check);
  }

  @Override
  public List<HealthFinding> findings() {
    return checks.findings();
  }

  @Deactivate
  void close() {
    threads.shutdownNow();
  }
}
