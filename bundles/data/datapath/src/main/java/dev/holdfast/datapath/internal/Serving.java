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

  /** Returns the kind of this way. */
  ServingState.Way way();

  /** Returns the protocol, as in {@code Volume.spec.frontend}. */
  String protocol();

  /** Returns the endpoint of the volume. */
  String endpoint();

  /** Returns whether requests pass a portal. */
  boolean isThrough(Portal portal);

  /** Holds the requests of hosts; see {@link dev.holdfast.datapath.AttachedVolume#hold}. */
  HeldRequests hold(Duration drain) throws StorageException;

  /**
   * Sets the limits of hosts.
   *
   * @throws StorageException UNSUPPORTED, naming the limit, when this way cannot enforce it: the
   *     earlier limits stay; BUSY or IO when the caller must retry
   */
  void limit(IoLimits limits) throws StorageException;

  /**
   * Sets whether requests by this way are served, if it is one of several paths.
   *
   * @throws StorageException UNSUPPORTED when this way has no paths; IO when the caller must retry
   */
  void access(PathAccess access) throws StorageException;

  /** Updates the statistics; may block. */
  void measure();

  /** Returns the statistics of requests by this way; empty while unknown. */
  Optional<IoStatistics> statistics();

  /**
   * Ends this way: after the return no host reaches the volume by it.
   *
   * @throws StorageException when this is uncertain: call it again, or close the volume
   */
  void withdraw() throws StorageException;
}
