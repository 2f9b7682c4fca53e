package dev.holdfast.store;

import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Map;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Objects of the orchestrator through which workloads use volumes, such as the storage classes,
 * volumes and claims of Kubernetes. A store whose orchestrator has such objects implements this
 * type beside {@link ResourceStore}. System backups save and restore them. Thread-safe.
 */
@ConsumerType
public interface WorkloadObjects {
  /** A set of volumes. */
  @FunctionalInterface
  interface Volumes {
    /**
     * Returns whether the set contains a volume.
     *
     * @param name of the volume, not null
     * @throws StorageException when this cannot be determined
     */
    boolean has(String name) throws StorageException;
  }

  /** Returns the kinds of the objects in the order in which they are restored; constant. */
  List<String> kinds();

  /**
   * Reads the objects of this system, without fields that the orchestrator sets.
   *
   * @param volumes the volumes whose objects are wanted, not null
   * @return the objects as JSON by file name, never null
   * @throws StorageException UNREACHABLE, TIMEOUT: call again; FORBIDDEN when the objects may not
   *     be read
   */
  Map<String, String> read(Volumes volumes) throws StorageException;

  /**
   * Creates an object that {@link #read} returned, unless an object of its kind and name exists.
   *
   * @param text the object as JSON, not null; untrusted
   * @param mark annotations for the object, not null
   * @param volumes the existing volumes, not null
   * @return whether the object has the annotations: this call or an earlier one created it
   * @throws StorageException INVALID with the remedy when the cluster does not permit its creation;
   *     UNREACHABLE, TIMEOUT: call again
   */
  boolean create(String text, Map<String, String> mark, Volumes volumes) throws StorageException;
}
