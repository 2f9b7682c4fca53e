package dev.holdfast.support.internal.peer;

import dev.holdfast.access.ApiDocument;
import dev.holdfast.access.ExtensionRequest;
import dev.holdfast.access.audit.AuditFolder;
import dev.holdfast.error.StorageException;
import dev.holdfast.health.HealthReport;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.rpc.NodeChannels;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.support.internal.pack.ClusterFacts;
import dev.holdfast.support.internal.pack.NodePart;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/** Collects files of this node for other nodes, and calls the others. */
@Component(service = {BindableService.class, SupportComponent.class})
public final class SupportComponent implements BindableService {
  private static final String DEFAULT_NODE_NAME = "node-1";
  private static final String METRICS = "/metrics";
  private static final Duration MARGIN = Duration.ofSeconds(30);

  private final ExecutorService threads = threads();
  private final BundleContext context;
  private final SupportNodes nodes;

  /** Creates the component with the files of this node and the resources of the cluster. */
  @Activate
  public SupportComponent(
      @Reference ResourceStore store,
      @Reference KindCatalogue kinds,
      @Reference HealthReport health,
      @Reference NodeChannels channels,
      BundleContext context) {
    this.context = context;
    Path data = Path.of(property("holdfast.data", "."));
    nodes =
        new SupportNodes(
            property("holdfast.node.name", DEFAULT_NODE_NAME),
            store,
            NodePart.of(
                data,
                Path.of(property("karaf.log", data.resolve("log").toString())),
                this::bundles,
                this::metrics),
            new ClusterFacts(store, kinds, health),
            AuditFolder.ofNode(data),
            new NodeFilesClient(channels, NodePart.LONGEST.plus(MARGIN)),
            threads);
  }

  private static ExecutorService threads() {
    AtomicInteger number = new AtomicInteger();
    return Executors.newCachedThreadPool(
        task -> {
          Thread thread = new Thread(task, "holdfast-support-" + number.incrementAndGet());
          thread.setDaemon(true);
          return thread;
        });
  }

  private String property(String name, String standard) {
    return Optional.ofNullable(context.getProperty(name)).orElse(standard);
  }

  SupportNodes nodes() {
    return nodes;
  }

  @Override
  public ServerServiceDefinition bindService() {
    return nodes.service().bindService();
  }

  private String bundles() {
    return Arrays.stream(context.getBundles())
        .map(SupportComponent::line)
        .collect(Collectors.joining("\n", "id, state, name, version\n", "\n"));
  }

  private static String line(Bundle bundle) {
    String state =
        switch (bundle.getState()) {
          case Bundle.ACTIVE -> "active";
          case Bundle.RESOLVED -> "resolved";
          case Bundle.INSTALLED -> "installed";
          case Bundle.STARTING -> "starting";
          case Bundle.STOPPING -> "stopping";
          default -> "uninstalled";
        };
    return bundle.getBundleId()
        + ", "
        + state
        + ", "
        + bundle.getSymbolicName()
        + ", "
        + bundle.getVersion();
  }

  /** Returns the text for Prometheus; empty while the bundle is absent. */
  private String metrics() {
    try {
      for (ServiceReference<ApiDocument> reference :
          context.getServiceReferences(ApiDocument.class, null)) {
        ApiDocument document = context.getService(reference);
        if (document != null && document.path().equals(METRICS)) {
          return text(document);
        }
      }
      return "";
    } catch (InvalidSyntaxException | StorageException | IOException e) {
      return "the series cannot be read: " + e.getMessage();
    }
  }

  private static String text(ApiDocument document) throws StorageException, IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    document.handle(
        new ExtensionRequest(
            "GET", "", Map.of(), header -> Optional.empty(), InputStream.nullInputStream()),
        (code, type, length, headers) -> body);
    return body.toString(StandardCharsets.UTF_8);
  }

  @Deactivate
  void close() {
    threads.shutdownNow();
  }
}
