package dev.holdfast.datapath;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Portal;
import dev.holdfast.store.ResourceStore;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import org.osgi.annotation.versioning.ProviderType;

/** The volumes that are attached to this node, at most one for each engine. Thread-safe. */
@ProviderType
public interface AttachedVolumes {
  /** Returns the volume of an engine; empty when it is not attached to this node. */
  Optional<AttachedVolume> get(String engine);

  /**
   * Returns the volumes whose engine on this node gave up because a later opening took them over,
   * until this node opens them again. Requests of their hosts wait until their exports are
   * withdrawn.
   *
   * @return names of volumes, never null
   */
  default Set<String> takenOver() {
    return Set.of();
  }

  /** Returns the portal that publishes volumes; empty while none is installed. */
  Optional<Portal> portal();

  /** Returns threads for work that takes too long to delay the steps of a volume. */
  Executor executor();

  /**
   * Returns the store that receives the state of volumes. It changes when its bundle is replaced,
   * so callers must get it for each access.
   *
   * @throws StorageException UNREACHABLE while no store is installed
   */
  ResourceStore store() throws StorageException;
}
