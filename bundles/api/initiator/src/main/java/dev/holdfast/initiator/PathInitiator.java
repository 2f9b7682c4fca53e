package dev.holdfast.initiator;

import dev.holdfast.error.StorageException;
import java.net.URI;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * An initiator of a protocol with which a host uses several paths to one volume. Paths come and go
 * while the device is in use.
 *
 * @since 2.1
 */
@ConsumerType
public interface PathInitiator extends Initiator {

  /**
   * Connects a volume by all of its paths, or finds that it is connected. Paths that are missing
   * are added to a connected volume, and then those that are not among the endpoints are removed.
   * The device stays the same and in use. A path that cannot be connected is left out as long as
   * another one works: calling this again tries it again.
   *
   * @param volume name of the volume, not null
   * @param endpoints URIs of the volume, at least one, all with the same identity, not null
   * @return the connection; its device takes I/O when this returns
   * @throws StorageException INVALID when the list is empty or its identities differ; BUSY when the
   *     volume is connected to an endpoint with another identity; UNREACHABLE when nothing answers
   *     at any endpoint; otherwise as {@link Initiator#connect}
   */
  InitiatorConnection connect(String volume, List<URI> endpoints) throws StorageException;

  /**
   * Returns the paths of a volume as the host has them now, sorted by address; none when it is not
   * connected.
   *
   * @param volume name of the volume, not null
   * @throws StorageException IO
   */
  List<InitiatorPath> paths(String volume) throws StorageException;
}
