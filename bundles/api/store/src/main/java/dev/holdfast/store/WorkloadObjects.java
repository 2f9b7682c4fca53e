package dev.holdfast.store;

import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Map;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Offered beside {@link ResourceStore} by a store whose orchestrator keeps objects of its own that
 * let workloads use volumes, such as the storage classes, volumes and claims of Kubernetes. System
 * backups save and restore them. Thread-safe.
 */
@ConsumerType
public interface WorkloadObjects {
  /** Tells volumes by their names. */
  @FunctionalInterface
  interface Volumes {
    /**
     * Returns whether a volume is one of them.
     *
     * @param name of the volume, not null
     * @throws StorageException when it is not known
     */
    boolean has(String name) throws StorageException;
  }

  /** Returns the kinds of the objects in the order in which they are restored; constant. */
  List<String> kinds();

  /**
   * Reads the objects that belong to this system, without what the orchestrator made of them.
   *
   * @param volumes those whose objects are wanted, not null
   * @return the objects as JSON by names of files, never null
   * @throws StorageException UNREACHABLE, TIMEOUT: ask again; FORBIDDEN when they may not be read
   */
  Map<String, String> read(Volumes volumes) throws StorageException;

  /**
   * Creates an object that {@link #read} returned, unless there is one of its kind and name.
   *
   * @param text the object as JSON, not null; hostile input
   * @param mark annotations that the object gets, not null
   * @param volumes those that exist, not null
   * @return whether the object has the annotations: this call or an earlier one created it
   * @throws StorageException INVALID when it cannot be created as the cluster is, with the remedy;
   *     UNREACHABLE, TIMEOUT: call again
   */
  boolean create(String text, Map<String, String> mark, Volumes volumes) throws StorageException;
}
