package dev.holdfast.initiator;

import dev.holdfast.error.StorageException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Creates a device of this host from an endpoint, and removes it.
 *
 * <p>A connection belongs to the host and not to the process that made it. The connection outlives
 * that process, and initiators of later processes find it. Calls are idempotent, may come from
 * several processes at a time, and may be repeated after a crash at any point.
 */
@ConsumerType
public interface Initiator {

  /** Returns the initiator's name, for example {@code nbd-kernel}, never null. */
  String name();

  /** Returns the preference among several initiators for one scheme. The highest is tried first. */
  int preference();

  /** Returns whether the initiator supports the scheme of an endpoint. */
  boolean understands(URI endpoint);

  /**
   * Returns the missing prerequisite of this host, with the remedy; empty if the initiator is
   * usable here. May inspect the host at each call.
   */
  Optional<String> obstacle();

  /**
   * Connects a volume, or finds its existing connection.
   *
   * @param volume name of the volume, not null
   * @param endpoint URI of the volume, not null
   * @return the connection; its device takes I/O when this returns
   * @throws StorageException UNSUPPORTED when the host lacks something; BUSY when the volume is
   *     connected to another endpoint, or remains of an earlier connection are still in use;
   *     UNREACHABLE when the endpoint does not answer; TIMEOUT, IO
   */
  InitiatorConnection connect(String volume, URI endpoint) throws StorageException;

  /**
   * Disconnects a volume; succeeds if it is not connected. Flushed writes to the device are on the
   * volume.
   *
   * @throws StorageException BUSY when the device is in use (the message names the user); IO
   */
  void disconnect(String volume) throws StorageException;

  /**
   * Returns the connection of a volume, also a broken one.
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
