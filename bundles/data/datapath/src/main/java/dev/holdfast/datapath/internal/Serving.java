package dev.holdfast.datapath.internal;

import dev.holdfast.block.filter.IoLimits;
import dev.holdfast.block.filter.IoStatistics;
import dev.holdfast.datapath.HeldRequests;
import dev.holdfast.datapath.ServingState;
import dev.holdfast.engine.export.PathAccess;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Portal;
import java.time.Duration;
import java.util.Optional;

/**
 * One way in which hosts reach an open volume. Used by the steps of the volume, one at a time;
 * {@link #statistics} is for any thread.
 */
sealed interface Serving permits PortalServing, NativeServing {

  /** Returns which way it is. */
  ServingState.Way way();

  /** Returns the protocol, as in {@code Volume.spec.frontend}. */
  String protocol();

  /** Returns where hosts find the volume. */
  String endpoint();

  /** Returns whether requests pass a portal. */
  boolean isThrough(Portal portal);

  /** Holds the requests of hosts; see {@link dev.holdfast.datapath.AttachedVolume#hold}. */
  HeldRequests hold(Duration drain) throws StorageException;

  /**
   * Limits what hosts may use.
   *
   * @throws StorageException UNSUPPORTED, naming the limit, when this way cannot keep it: the
   *     earlier limits stay; BUSY or IO when it has to be tried again
   */
  void limit(IoLimits limits) throws StorageException;

  /**
   * Sets whether requests by this way are served, where it is one of several paths.
   *
   * @throws StorageException UNSUPPORTED when this way has no paths; IO when it is to be repeated
   */
  void access(PathAccess access) throws StorageException;

  /** Updates the statistics; may block. */
  void measure();

  /** Returns what hosts did by this way, as far as it is known. */
  Optional<IoStatistics> statistics();

  /**
   * Ends this way: no host reaches the volume by it when this returns.
   *
   * @throws StorageException when this is not certain: call it again, or close the volume
   */
  void withdraw() throws StorageException;
}
