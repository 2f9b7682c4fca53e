package dev.holdfast.store;

import dev.holdfast.error.StorageException;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Offered beside {@link ResourceStore} by a store whose orchestrator gives a service an address
 * that stays the same while its server moves between nodes, such as Kubernetes. Thread-safe.
 */
@ConsumerType
public interface StableServices {
  /**
   * Directs a service to its present server. Creates the service when it is absent; its address
   * stays the same until {@link #remove}. Idempotent.
   *
   * @param name of the service, not null
   * @param address numeric address of the server, not null
   * @param port TCP port of the server, 1 to 65535
   * @return HOST:PORT of the service; empty when the orchestrator cannot direct to this address,
   *     for example because it is a loopback address
   * @throws StorageException UNREACHABLE, TIMEOUT: ask again; FORBIDDEN when this account may not;
   *     CONFLICT when a service of this name belongs to another owner
   */
  Optional<String> direct(String name, String address, int port) throws StorageException;

  /**
   * Removes a service. Succeeds when it is absent or belongs to another owner.
   *
   * @param name of the service, not null
   * @throws StorageException UNREACHABLE, TIMEOUT: ask again; FORBIDDEN when this account may not
   */
  void remove(String name) throws StorageException;
}
