package dev.holdfast.datapath.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportDirectory;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.volume.Volume;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.osgi.service.component.annotations.Component;

/**
 * Nodes that export each volume, as the cluster last reported them. A node that stops exporting a
 * volume redirects initiators to the new one.
 */
@Component(service = {ExportDirectory.class, Reconciler.class})
public final class ClusterExportDirectory implements ExportDirectory, Reconciler<Volume> {
  private final Map<String, Volume> shown = new ConcurrentHashMap<>();

  /** Starts empty; entries arrive as the volumes are mirrored. */
  public ClusterExportDirectory() {}

  @Override
  public String name() {
    return "volume-endpoints";
  }

  @Override
  public ResourceKind<Volume> kind() {
    return Volume.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.NODE;
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    context
        .get(Volume.KIND, name)
        .filter(volume -> !volume.status().endpoint().isEmpty())
        .ifPresentOrElse(volume -> shown.put(name, volume), () -> shown.remove(name));
    return Result.DONE;
  }

  @Override
  public Optional<URI> endpoint(String frontend, String export) {
    return Optional.ofNullable(shown.get(export))
        .filter(volume -> volume.spec().frontend().equals(frontend))
        .map(volume -> URI.create(volume.status().endpoint()));
  }

  @Override
  public Map<String, URI> endpoints(String frontend) {
    return shown.entrySet().stream()
        .filter(one -> one.getValue().spec().frontend().equals(frontend))
        .collect(
            Collectors.toMap(
                Map.Entry::getKey, one -> URI.create(one.getValue().status().endpoint())));
  }
}
