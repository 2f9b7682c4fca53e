package dev.holdfast.metrics.runtime.internal.resources;

import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.MetricSink;
import dev.holdfast.metrics.MetricSource;
import dev.holdfast.upgrade.BundleTrouble;
import dev.holdfast.upgrade.ReplaceablePart;
import dev.holdfast.upgrade.ServingBundle;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.osgi.framework.Bundle;

/**
 * Reports the bundles of the container, their faults and sessions, and the certificates of the
 * node.
 */
final class ProcessMetrics implements MetricSource {
  private final Supplier<List<Bundle>> bundles;
  private final Supplier<List<BundleTrouble>> troubles;
  private final Supplier<List<ReplaceablePart>> frontends;
  private final Map<String, Path> certificates;

  /**
   * Creates a source.
   *
   * @param bundles installed bundles
   * @param troubles present faults
   * @param frontends frontends with the bundles that serve their sessions
   * @param certificates files by certificate name
   */
  ProcessMetrics(
      Supplier<List<Bundle>> bundles,
      Supplier<List<BundleTrouble>> troubles,
      Supplier<List<ReplaceablePart>> frontends,
      Map<String, Path> certificates) {
    this.bundles = bundles;
    this.troubles = troubles;
    this.frontends = frontends;
    this.certificates = Map.copyOf(certificates);
  }

  @Override
  public List<MetricDefinition> definitions() {
    return List.of(
        NodeSeries.BUNDLE_INFO,
        NodeSeries.PLUGIN_TROUBLE,
        NodeSeries.SESSIONS,
        NodeSeries.CERTIFICATE);
  }

  @Override
  public void collect(MetricSink sink) throws IOException, CertificateException {
    for (Bundle bundle : bundles.get()) {
      sink.info(
          NodeSeries.BUNDLE_INFO,
          String.valueOf(bundle.getSymbolicName()),
          bundle.getVersion().toString(),
          state(bundle.getState()));
    }
    for (ReplaceablePart frontend : frontends.get()) {
      int served = frontend.bundles().stream().mapToInt(ServingBundle::served).sum();
      sink.value(NodeSeries.SESSIONS, served + frontend.parked(), frontend.name());
    }
    Map<List<String>, Integer> counts = new HashMap<>();
    troubles
        .get()
        .forEach(
            trouble ->
                counts.merge(
                    List.of(trouble.name(), trouble.kind().name().toLowerCase(Locale.ROOT)),
                    1,
                    Integer::sum));
    counts.forEach(
        (labels, count) ->
            sink.value(NodeSeries.PLUGIN_TROUBLE, count, labels.toArray(String[]::new)));
    for (Map.Entry<String, Path> file : certificates.entrySet()) {
      sink.value(NodeSeries.CERTIFICATE, end(file.getValue()), file.getKey());
    }
  }

  private static double end(Path file) throws IOException, CertificateException {
    try (InputStream in = Files.newInputStream(file)) {
      X509Certificate first =
          (X509Certificate)
              CertificateFactory.getInstance("X.509").generateCertificates(in).iterator().next();
      return (double) first.getNotAfter().toInstant().getEpochSecond();
    }
  }

  private static String state(int state) {
    return switch (state) {
      case Bundle.UNINSTALLED -> "uninstalled";
      case Bundle.INSTALLED -> "installed";
      case Bundle.RESOLVED -> "resolved";
      case Bundle.STARTING -> "starting";
      case Bundle.STOPPING -> "stopping";
      case Bundle.ACTIVE -> "active";
      default -> "unknown";
    };
  }
}
