package dev.holdfast.snapshot.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Watched;
import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.datapath.NodeEngineReconciler;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.FilesystemTrim;
import dev.holdfast.host.Host;
import dev.holdfast.initiator.MountTable;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.RequestOutcome;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Volume;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trims the mounted filesystems of a volume on the node that has it open, once for each id in
 * {@code spec.trimRequest}. After a crash before the outcome is recorded, the trim is repeated,
 * which then frees little.
 */
@Component(service = Reconciler.class)
public final class FilesystemTrimReconciler implements NodeEngineReconciler {
  private static final Logger LOG = LoggerFactory.getLogger(FilesystemTrimReconciler.class);
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final int ATTEMPTS = 5;

  private final AttachedVolumes volumes;
  private final VolumeMounts mounts;
  private final FilesystemTrim trim;
  private final Set<String> running = ConcurrentHashMap.newKeySet();

  /** Creates the reconciler of a running bundle. */
  @Activate
  public FilesystemTrimReconciler(
      @Reference AttachedVolumes volumes, @Reference VolumeMounts mounts, @Reference Host host) {
    this.volumes = volumes;
    this.mounts = mounts;
    this.trim = new FilesystemTrim(host);
  }

  @Override
  public String name() {
    return "filesystem-trim";
  }

  @Override
  public List<Watched<?>> watches(ReconcileContext context) {
    return List.of(NodeEngineReconciler.volumesOf(context));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) {
    Optional<Volume> asked =
        context
            .get(Engine.KIND, name)
            .flatMap(
                engine ->
                    context
                        .get(Volume.KIND, engine.spec().volume())
                        .filter(volume -> volume.follows(engine)))
            .filter(FilesystemTrimReconciler::isPending);
    boolean open =
        volumes
            .get(name)
            .filter(found -> found.status().phase() == AttachedVolumeStatus.Phase.OPEN)
            .isPresent();
    if (asked.isEmpty() || !open) {
      return Result.DONE;
    }
    if (running.add(name)) {
      volumes.executor().execute(() -> run(name, asked.get(), context));
    }
    return Result.after(POLL);
  }

  private static boolean isPending(Volume volume) {
    return volume.status().trim().isPending(volume.spec().trimRequest());
  }

  private void run(String engine, Volume asked, ReconcileContext context) {
    try {
      Optional<Volume> stored = stored(asked);
      if (stored.isPresent()) {
        record(asked, outcome(stored.get(), context));
      }
    } catch (StorageException e) {
      LOG.debug("volume {}: could not record its trim: {}", asked.name(), e.getMessage());
    } finally {
      running.remove(engine);
    }
  }

  private Optional<Volume> stored(Volume asked) throws StorageException {
    return volumes
        .store()
        .get(Volume.KIND, asked.name())
        .filter(found -> found.metadata().uid().equals(asked.metadata().uid()))
        .filter(FilesystemTrimReconciler::isPending);
  }

  private RequestOutcome outcome(Volume volume, ReconcileContext context) {
    RequestOutcome ended =
        RequestOutcome.EMPTY
            .withRequestID(volume.spec().trimRequest())
            .withFinishedAt(Optional.of(context.clock().instant()));
    try {
      return ended.withResult(trimmed(volume.name(), context.nodeName()));
    } catch (StorageException e) {
      return ended.withError(String.valueOf(e.getMessage()));
    }
  }

  /** Trims the filesystems of a volume. A filesystem with several mounts is trimmed once. */
  private String trimmed(String volume, String node) throws StorageException {
    Map<String, MountTable.Mount> filesystems = new LinkedHashMap<>();
    mounts.of(volume).forEach(mount -> filesystems.putIfAbsent(mount.deviceNumber(), mount));
    if (filesystems.isEmpty()) {
      return Volume.TRIM_SKIPPED + "nothing of it is mounted on node " + node;
    }
    long bytes = 0;
    for (MountTable.Mount mount : filesystems.values()) {
      bytes += trim.run(mount.directory());
    }
    return new Quantity(bytes) + " trimmed";
  }

  /** Records only the outcome, because other writers change the status of a volume often. */
  private void record(Volume asked, RequestOutcome outcome) throws StorageException {
    for (int attempt = 1; ; attempt++) {
      Optional<Volume> stored =
          stored(asked).filter(found -> found.spec().trimRequest().equals(outcome.requestID()));
      if (stored.isEmpty()) {
        return;
      }
      try {
        Volume now = stored.get();
        var unused = volumes.store().updateStatus(now.withStatus(now.status().withTrim(outcome)));
        return;
      } catch (StorageException e) {
        if (e.code() != ErrorCode.CONFLICT || attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }
}
