package dev.holdfast.initiator;

import dev.holdfast.error.StorageException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Makes a device of this host from an endpoint, and takes it away again.
 *
 * <p>A connection belongs to the host, not to the process that made it: whatever serves it outlives
 * that process, and an initiator of any later process finds it again. Calls are idempotent, may
 * come from several processes at a time, and may be repeated after a crash at any point.
 */
@ConsumerType
public interface Initiator {

  /** Returns the initiator's name, for example {@code nbd-kernel}, never null. */
  String name();

  /** Returns which of several initiators for one scheme is tried first: the highest. */
  int preference();

  /** Returns whether it understands endpoints of this scheme. */
  boolean understands(URI endpoint);

  /**
   * Returns what this host lacks for it, with the remedy; empty when it can be used here. May look
   * at the host again at each call.
   */
  Optional<String> obstacle();

  /**
   * Connects a volume, or finds that it is connected.
   *
   * @param volume name of the volume, not null
   * @param endpoint URI of the volume, not null
   * @return the connection; its device takes I/O when this returns
   * @throws StorageException UNSUPPORTED when the host lacks something; BUSY when the volume is
   *     connected to another endpoint, or what is left of an earlier connection is still in use;
   *     UNREACHABLE when nothing answers at the endpoint; TIMEOUT, IO
   */
  InitiatorConnection connect(String volume, URI endpoint) throws StorageException;

  /**
   * Disconnects a volume; succeeds when it is not connected. What was written to the device and
   * flushed is on the volume.
   *
   * @throws StorageException BUSY when the device is in use (the message says by whom); IO
   */
  void disconnect(String volume) throws StorageException;

  /**
   * Returns the connection of a volume, whether it works or is what is left of one.
   *
   * @throws StorageException IO
   */
  Optional<InitiatorConnection> find(String volume) throws StorageException;

  /**
   * Returns all connections that this initiator made on this host, by volume.
   *
   * @throws StorageException IO
   */
  List<InitiatorConnection> connections() throws StorageException;
}
