package dev.holdfast.nvme.host;

import dev.holdfast.error.StorageException;
import dev.holdfast.nvme.host.answer.NvmeAccess;
import dev.holdfast.nvme.host.answer.NvmeIdentity;
import dev.holdfast.nvme.host.internal.AssociationRequest;
import dev.holdfast.nvme.host.internal.ControllerPages;
import dev.holdfast.nvme.host.internal.HostAssociation;
import java.util.List;
import java.util.UUID;

/**
 * A controller of a subsystem. Its namespaces are devices that share two connections, one for
 * administration and one for I/O. When a connection ends, or a command is not answered in time, the
 * controller and its devices fail until the caller connects again. Thread-safe.
 */
public final class RemoteController implements AutoCloseable {
  private final HostAssociation association;
  private final NvmeIdentity identity;

  private RemoteController(HostAssociation association) throws StorageException {
    this.association = association;
    this.identity = ControllerPages.identity(association.identifyController());
  }

  /**
   * Connects.
   *
   * @param subsystem not null
   * @return the controller, never null; the caller closes it
   * @throws StorageException UNREACHABLE when nothing listens, or the connection ends; FORBIDDEN
   *     when the target does not admit this host; NOT_FOUND when it has no such subsystem; TIMEOUT;
   *     IO
   */
  public static RemoteController connect(NvmeSubsystem subsystem) throws StorageException {
    HostAssociation association =
        HostAssociation.connect(
            new AssociationRequest(
                subsystem.address(),
                subsystem.nqn(),
                subsystem.hostName(),
                subsystem.hostId(),
                subsystem.limit()));
    try {
      return new RemoteController(association);
    } catch (StorageException e) {
      association.close();
      throw e;
    }
  }

  /** Returns the Identify data of the controller from the time of the connect, never null. */
  public NvmeIdentity identity() {
    return identity;
  }

  /**
   * Returns the numbers of the active namespaces, in ascending order, at most 1,024.
   *
   * @return never null
   * @throws StorageException UNREACHABLE when the connection is lost; TIMEOUT; IO
   */
  public List<Integer> namespaces() throws StorageException {
    return ControllerPages.numbers(association.identifyNamespaceList());
  }

  /**
   * Returns a namespace as a device. Closing it does not close the controller.
   *
   * @param namespace its number, at least 1
   * @return never null; dead after the controller was closed
   * @throws StorageException NOT_FOUND when the subsystem has no such namespace; UNSUPPORTED when
   *     it has metadata or blocks of more than 64 KiB; UNREACHABLE; TIMEOUT; IO
   */
  public NvmeDevice device(int namespace) throws StorageException {
    return new NvmeDevice(association, association.identify(namespace), false);
  }

  /**
   * Returns the UUID of a namespace.
   *
   * @param namespace its number, at least 1
   * @return zeroes when it has none, never null
   * @throws StorageException NOT_FOUND when the subsystem has no such namespace; UNREACHABLE;
   *     TIMEOUT; IO
   */
  public UUID uuid(int namespace) throws StorageException {
    return ControllerPages.uuid(association.identifyDescriptors(namespace));
  }

  /**
   * Returns the access state of a namespace by this path.
   *
   * @param namespace its number, at least 1
   * @return never null; OPTIMIZED when the subsystem does not report asymmetric access
   * @throws StorageException NOT_FOUND when no group has the namespace; UNREACHABLE; TIMEOUT; IO
   */
  public NvmeAccess access(int namespace) throws StorageException {
    return identity.anaReporting()
        ? ControllerPages.access(association.name(), association.accessLog(), namespace)
        : NvmeAccess.OPTIMIZED;
  }

  /**
   * Exchanges one command with the target.
   *
   * @throws StorageException UNREACHABLE when the connection is lost; TIMEOUT
   */
  public void check() throws StorageException {
    association.check();
  }

  /**
   * Calls a listener once after one of the connections has ended: lost, closed by the target, ended
   * because a command was not answered in time, or by {@link #close}. Calls it immediately when
   * that has already happened.
   *
   * @param listener runs on a separate thread and may close this controller, not null
   */
  public void onEnd(Runnable listener) {
    association.onEnd(listener);
  }

  /** Ends both connections. Requests in flight fail. Idempotent. */
  @Override
  public void close() {
    association.close();
  }
}
