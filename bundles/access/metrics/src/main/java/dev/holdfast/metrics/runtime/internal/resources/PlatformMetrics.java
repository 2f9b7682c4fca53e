package dev.holdfast.metrics.runtime.internal.resources;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.metrics.MetricSource;
import dev.holdfast.metrics.Metrics;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.upgrade.BundleTrouble;
import dev.holdfast.upgrade.BundleTroubles;
import dev.holdfast.upgrade.ReplaceablePart;
import dev.holdfast.upgrade.ReplaceableParts;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/** Registers the sources that read the store and the container. */
@Component(service = {})
public final class PlatformMetrics {
  private static final String DEFAULT_NODE_NAME = "node-1";

  private final List<BundleTroubles> troubles = new CopyOnWriteArrayList<>();
  private final List<ReplaceableParts> parts = new CopyOnWriteArrayList<>();
  private final List<Metrics.Collection> collections;

  /** Registers the sources. */
  @Activate
  public PlatformMetrics(
      @Reference Metrics metrics,
      @Reference ResourceStore store,
      @Reference KindCatalogue kinds,
      @Reference NodeTls tls,
      BundleContext context) {
    String node =
        Optional.ofNullable(context.getProperty("holdfast.node.name")).orElse(DEFAULT_NODE_NAME);
    MetricSource process =
        new ProcessMetrics(
            () -> ours(context),
            this::present,
            this::frontends,
            Map.of("server", tls.certificate(), "authority", tls.caCertificate()));
    collections =
        Stream.of(new ClusterMetrics(store, kinds, node), new NodeMetrics(store, node), process)
            .map(metrics::collect)
            .toList();
  }

  /** Returns our bundles without libraries, whose versions belong to the release. */
  private static List<Bundle> ours(BundleContext context) {
    return Arrays.stream(context.getBundles())
        .filter(
            bundle ->
                String.valueOf(bundle.getSymbolicName()).startsWith("dev.holdfast")
                    || imports(bundle))
        .toList();
  }

  private static boolean imports(Bundle bundle) {
    return Optional.ofNullable(bundle.getHeaders("").get("Import-Package"))
        .filter(packages -> packages.contains("dev.holdfast."))
        .isPresent();
  }

  private List<BundleTrouble> present() {
    return troubles.stream().flatMap(source -> source.troubles().stream()).toList();
  }

  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  void addTroubles(BundleTroubles source) {
    troubles.add(source);
  }

  void removeTroubles(BundleTroubles source) {
    troubles.remove(source);
  }

  private List<ReplaceablePart> frontends() {
    return parts.stream()
        .filter(source -> source.kind().equals(ReplaceableParts.FRONTEND))
        .flatMap(source -> source.parts().stream())
        .toList();
  }

  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  void addParts(ReplaceableParts source) {
    parts.add(source);
  }

  void removeParts(ReplaceableParts source) {
    parts.remove(source);
  }

  @Deactivate
  void close() {
    collections.forEach(Metrics.Collection::close);
  }
}
