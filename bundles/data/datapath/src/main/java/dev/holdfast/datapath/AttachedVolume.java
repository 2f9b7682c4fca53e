package dev.holdfast.datapath;

import dev.holdfast.engine.OpenVolume;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A volume that is attached to this node: export, throttle, copying, gate, open volume. Where its
 * engine exports it natively, hosts use that export instead.
 *
 * <p>Thread-safe. Steps of one volume run one after the other on its own serial executor, so that a
 * slow step delays no other volume.
 */
@ProviderType
public interface AttachedVolume {

  /** Returns the state that the steps so far have reached. */
  AttachedVolumeStatus status();

  /** Returns the device into which the first content is copied; empty when no copy is pending. */
  Optional<CopyingDevice> copying();

  /** Returns the exported snapshots; only for operations of this volume. */
  SnapshotExports snapshotExports();

  /**
   * Holds the requests of hosts, by every path to the volume, until the result is closed. Only for
   * operations of this volume.
   *
   * @param drain maximum time for the requests in flight to end
   * @throws StorageException BUSY when they are already held, TIMEOUT when they do not end in time
   */
  HeldRequests hold(Duration drain) throws StorageException;

  /**
   * Runs an operation with the open volume as a step of this volume. A change of the device's size
   * is reported.
   *
   * @return the result; fails with UNREACHABLE when the volume is not open
   */
  <T> CompletableFuture<T> operate(Operation<T> operation);

  /** An operation on an open volume, in order with its opening and closing. */
  @FunctionalInterface
  interface Operation<T> {
    /**
     * Runs the operation; may block. The volume is neither published nor closed before it returns.
     *
     * @param opened the volume
     * @param status the state of the attached volume
     * @throws StorageException passed to the caller of {@link AttachedVolume#operate}
     */
    T run(OpenVolume opened, AttachedVolumeStatus status) throws StorageException;
  }
}
