package ${package};

import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;

/** Keeps each volume in one file, on the disk that the platform chose. */
@Component
public final class FileEngine implements EngineProvider {
  private final Map<Path, FileVolume> open = new ConcurrentHashMap<>();

  @Override
  public String name() {
    return "${artifactId}";
  }

  @Override
  public Set<EngineCapability> capabilities() {
    return Set.of(EngineCapability.DURABLE);
  }

  @Override
  public void provisionReplica(ReplicaLocation at, long sizeBytes) throws StorageException {
    new ReplicaDirectory(at).provision(sizeBytes);
  }

  @Override
  public void deleteReplica(ReplicaLocation at) throws StorageException {
    if (isOpen(at)) {
      throw new StorageException(ErrorCode.BUSY, at.replica() + " is open; detach its volume");
    }
    new ReplicaDirectory(at).delete();
  }

  @Override
  public Optional<ReplicaInfo> inspectReplica(ReplicaLocation at) throws StorageException {
    return new ReplicaDirectory(at).inspect();
  }

  @Override
  public OpenVolume open(OpenRequest request) throws StorageException {
    if (request.replicas().size() > 1) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED, request.volume() + ": this engine keeps one replica only");
    }
    ReplicaLocation at = request.replicas().get(0);
    ReplicaDirectory directory = new ReplicaDirectory(at);
    Optional<ReplicaInfo> info = directory.inspect();
    if (info.isEmpty() || info.get().sizeBytes() != request.sizeBytes()) {
      throw new StorageException(
          ErrorCode.UNREACHABLE, at.replica() + " of " + request.sizeBytes() + " bytes is gone");
    }
    claim(request, at);
    FileVolume earlier = open.remove(at.directory());
    if (earlier != null) {
      earlier.supersede();
    }
    FileVolume volume = new FileVolume(directory, request);
    open.put(at.directory(), volume);
    return volume;
  }

  // Raising the generation is what tells an engine on another node that its time is over.
  private static void claim(OpenRequest request, ReplicaLocation at) throws StorageException {
    Membership before = request.register().read();
    long generation = before.generation() + 1;
    Membership claimed =
        new Membership(
            generation, request.nodeId(), generation, 1, new TreeSet<>(Set.of(at.replica())));
    if (!request.register().compareAndSet(before, claimed)
        || !request.register().read().equals(claimed)) {
      throw new StorageException(ErrorCode.CONFLICT, request.volume() + " is opened elsewhere");
    }
  }

  private boolean isOpen(ReplicaLocation at) {
    FileVolume volume = open.get(at.directory());
    return volume != null && volume.isOpen();
  }

  /** A bundle that goes leaves nothing open: what comes next opens the volumes again. */
  @Deactivate
  void stop() throws StorageException {
    for (FileVolume volume : open.values()) {
      volume.close();
    }
  }
}
