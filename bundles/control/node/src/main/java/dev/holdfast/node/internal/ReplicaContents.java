package dev.holdfast.node.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.error.StorageException;
import dev.holdfast.node.InitialContentSource;
import dev.holdfast.node.InitialContentState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/** Calls the installed sources of first content. Thread-safe. */
@Component(service = ReplicaContents.class)
public final class ReplicaContents {
  /** The bundle that supplies the content of copies. */
  private static final String CLONE_BUNDLE = "dev.holdfast.clone";

  /** The bundle that supplies the content of restored volumes. */
  private static final String BACKUP_BUNDLE = "dev.holdfast.backup";

  /** The bundle that supplies the content of volumes with a backing image. */
  private static final String IMAGE_BUNDLE = "dev.holdfast.image";

  private final List<InitialContentSource> sources = new CopyOnWriteArrayList<>();

  /** Creates an object without sources. */
  @Activate
  public ReplicaContents() {}

  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  public void addSource(InitialContentSource source) {
    sources.add(source);
  }

  void removeSource(InitialContentSource source) {
    sources.remove(source);
  }

  /**
   * Supplies the first content of a replica as far as possible now.
   *
   * @param made whether the replica was provisioned once
   * @return the finding; empty for an ordinary replica, which is provisioned empty
   */
  Optional<ReplicaInspection> attend(
      Replica replica, EngineProvider engine, boolean made, ReconcileContext context)
      throws StorageException {
    Optional<Volume> volume =
        replica.spec().witness() ? Optional.empty() : awaiting(replica, made, context);
    if (volume.isEmpty()) {
      return Optional.empty();
    }
    Optional<InitialContentSource> source =
        sources.stream().filter(one -> one.supplies(volume.get())).findFirst();
    if (source.isEmpty()) {
      return made
          ? Optional.empty()
          : Optional.of(
              ReplicaInspection.waiting(notInstalled(volume.get()), replica.status().link()));
    }
    InitialContentState content =
        source.get().provide(volume.get(), replica, engine, made, context);
    if (content instanceof InitialContentState.Awaited awaited) {
      return Optional.of(ReplicaInspection.waiting(awaited.reason(), awaited.link()));
    }
    if (content instanceof InitialContentState.AwaitsImage awaited) {
      return Optional.of(ReplicaInspection.waitingForImage(awaited.reason()));
    }
    return content instanceof InitialContentState.Present present
        ? Optional.of(ReplicaInspection.present(present.usedBytes()).withLink(present.link()))
        : Optional.empty();
  }

  /**
   * Returns the volume if it awaits content. Complete content remains complete; for a replica that
   * was not provisioned the cache may be outdated.
   */
  private static Optional<Volume> awaiting(Replica replica, boolean made, ReconcileContext context)
      throws StorageException {
    String name = replica.spec().volume();
    boolean settled =
        made && context.get(Volume.KIND, name).filter(v -> !v.awaitsContent()).isPresent();
    return settled
        ? Optional.empty()
        : context.store().get(Volume.KIND, name).filter(v -> needsContent(v, made));
  }

  /**
   * Returns whether a replica needs content. Each replica above an image is provisioned on it, even
   * for a rebuild.
   */
  private static boolean needsContent(Volume volume, boolean made) {
    return volume.awaitsContent() || (!made && !volume.spec().backingImage().isEmpty());
  }

  private static String notInstalled(Volume volume) {
    return "volume "
        + volume.name()
        + ": the bundle that supplies its first content is not installed: install "
        + bundle(volume);
  }

  private static String bundle(Volume volume) {
    if (!volume.spec().backingImage().isEmpty()) {
      return IMAGE_BUNDLE;
    }
    return volume.spec().fromBackup().isEmpty() ? CLONE_BUNDLE : BACKUP_BUNDLE;
  }
}
