package dev.holdfast.initiator;

import dev.holdfast.error.StorageException;
import java.net.URI;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * An initiator of a protocol that supports several paths from a host to one volume. Paths can be
 * added and removed during use.
 *
 * @since 2.1
 */
@ConsumerType
public interface PathInitiator extends Initiator {

  /**
   * Connects a volume by all of its paths, or finds its existing connection. For a connected
   * volume, adds missing paths and then removes paths that are not among the endpoints. The device
   * remains in use. Omits a path that cannot be connected if another one works; a repeated call
   * tries it again.
   *
   * @param volume name of the volume, not null
   * @param endpoints URIs of the volume, at least one, all with the same identity, not null
   * @return the connection; its device takes I/O when this returns
   * @throws StorageException INVALID when the list is empty or its identities differ; BUSY when the
   *     volume is connected to an endpoint with another identity; UNREACHABLE when none of the
   *     endpoints answers; otherwise as {@link Initiator#connect}
   */
  InitiatorConnection connect(String volume, List<URI> endpoints) throws StorageException;

  /**
   * Returns the present paths of a volume on the host, sorted by address; empty if the volume is
   * not connected.
   *
   * @param volume name of the volume, not null
   * @throws StorageException IO
   */
  List<InitiatorPath> paths(String volume) throws StorageException;
}
