package dev.holdfast.engine.example.memory.internal;

import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.Handover;
import dev.holdfast.engine.HandoverEngine;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.osgi.service.component.annotations.Component;

/**
 * Keeps volumes in memory: an example, and useful in tests. When the bundle stops all is gone but
 * the volumes that are open, which the next one takes over.
 */
@Component(service = EngineProvider.class)
public final class MemoryEngine implements HandoverEngine {
  private final Map<Path, MemoryVolume> replicas = new HashMap<>();

  @Override
  public String name() {
    return "example-memory";
  }

  @Override
  public Set<EngineCapability> capabilities() {
    return Set.of(EngineCapability.HANDOVER);
  }

  @Override
  public synchronized void provisionReplica(ReplicaLocation at, long sizeBytes)
      throws StorageException {
    MemoryVolume present =
        replicas.computeIfAbsent(at.directory(), path -> new MemoryVolume(at, sizeBytes));
    if (present.size() != sizeBytes || !present.location().equals(at)) {
      throw new StorageException(ErrorCode.INVALID, at.directory() + " holds another replica");
    }
  }

  @Override
  public synchronized void deleteReplica(ReplicaLocation at) throws StorageException {
    MemoryVolume present = replicas.get(at.directory());
    if (present != null && present.isOpen()) {
      throw new StorageException(ErrorCode.BUSY, at.replica() + " is open; detach its volume");
    }
    replicas.remove(at.directory());
  }

  @Override
  public synchronized Optional<ReplicaInfo> inspectReplica(ReplicaLocation at) {
    return Optional.ofNullable(replicas.get(at.directory()))
        .map(replica -> new ReplicaInfo(replica.size(), replica.used(), !replica.isOpen()));
  }

  @Override
  public synchronized OpenVolume open(OpenRequest request) throws StorageException {
    if (request.replicas().size() > 1) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED, request.volume() + ": this engine keeps one replica only");
    }
    ReplicaLocation at = request.replicas().get(0);
    MemoryVolume replica = replicas.get(at.directory());
    if (replica == null || replica.size() != request.sizeBytes()) {
      throw new StorageException(
          ErrorCode.UNREACHABLE, at.replica() + " of " + request.sizeBytes() + " bytes is gone");
    }
    // Raising the generation fences an engine on another node.
    Membership before = request.register().read();
    long generation = before.generation() + 1;
    Membership claimed =
        new Membership(
            generation, request.nodeId(), generation, 1, new TreeSet<>(Set.of(at.replica())));
    if (!request.register().compareAndSet(before, claimed)
        || !request.register().read().equals(claimed)) {
      throw new StorageException(ErrorCode.CONFLICT, request.volume() + " is opened elsewhere");
    }
    return replica.open(request.listener());
  }

  @Override
  public synchronized OpenVolume resume(OpenRequest request, Handover handover)
      throws StorageException {
    ReplicaLocation at = request.replicas().get(0);
    MemoryVolume taken = MemoryVolume.of(at, handover);
    replicas.put(at.directory(), taken);
    return taken.open(request.listener());
  }
}
