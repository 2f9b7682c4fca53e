package dev.holdfast.engine.lvm.blobs.links;

import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Links between the node on which a pool is active and the nodes that use its blobs: exports on the
 * one, devices of the kernel on the others.
 *
 * <pre>
 *   active node                      another node
 *   thin volume ──► export ══TLS══► NBD device ──► lower device of the blob
 * </pre>
 *
 * An export writes through no cache that a power cut can lose, and passes flushes on. A client that
 * asks for another generation than the one of the export is refused. Calls block. Thread-safe.
 */
@ProviderType
public interface PoolLinks {
  /**
   * Exports a device of this host, or finds it exported. An earlier generation of the export is
   * withdrawn first.
   *
   * @param device of this host, a thin volume
   * @param exportName of the blob, the same on every node and in every generation: 1 to 100
   *     lower-case letters, digits, hyphens and dots
   * @param generation of the pool's activation, positive
   * @return the export, which ends with {@link PoolExport#close} or with this process
   * @throws StorageException CONFLICT when a later generation is exported; INVALID; IO
   */
  PoolExport export(Path device, String exportName, long generation) throws StorageException;

  /**
   * Makes a device of the kernel whose requests go to an export, or returns the one of this export
   * name, which it then connects as {@link #reconnect} does. The device outlives this process. When
   * its connection is lost its requests wait; they do not fail.
   *
   * @param address of the export, to which the device was not connected before
   * @param exportName as {@link #export} names it; it identifies the device
   * @return the device
   * @throws StorageException UNREACHABLE when the export does not answer, or has another generation
   *     than the address: then the device was not connected; TIMEOUT when it was connected and the
   *     export answers no request; UNSUPPORTED naming a missing part of the kernel; IO
   */
  LinkedDevice connect(PoolAddress address, String exportName) throws StorageException;

  /**
   * Lets a device use another connection: requests that were not answered are sent again, and the
   * device takes over the size of the export. The caller never connects a device a second time to
   * an export that was not withdrawn in between: the export may still work on requests of the lost
   * connection, and execute them after newer ones.
   *
   * @param device from {@link #connect} or {@link #find}
   * @param address of the export, to which the device was not connected before
   * @param exportName by which the device was connected
   * @throws StorageException NOT_FOUND when the device is absent; UNREACHABLE and TIMEOUT as {@link
   *     #connect}; IO
   */
  void reconnect(LinkedDevice device, PoolAddress address, String exportName)
      throws StorageException;

  /**
   * Removes a device; requests that wait fail. Succeeds when it is absent.
   *
   * @param device from {@link #connect} or {@link #find}
   * @throws StorageException BUSY while a program has it open; IO
   */
  void disconnect(LinkedDevice device) throws StorageException;

  /**
   * Returns the device of an export name, connected or waiting; an earlier process may have made
   * it. Empty when there is none.
   *
   * @param exportName by which it was connected
   * @throws StorageException IO
   */
  Optional<LinkedDevice> find(String exportName) throws StorageException;

  /**
   * Returns those devices whose connection is lost, so that their requests wait.
   *
   * @param exportNames by which they were connected; one without a device is left out
   * @throws StorageException IO
   */
  Set<String> lost(Set<String> exportNames) throws StorageException;
}
