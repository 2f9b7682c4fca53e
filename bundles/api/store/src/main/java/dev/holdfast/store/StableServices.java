package dev.holdfast.store;

import dev.holdfast.error.StorageException;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Services with a stable address while their server moves between nodes. A store whose orchestrator
 * supports this, such as Kubernetes, implements this type beside {@link ResourceStore}.
 * Thread-safe.
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
   * @throws StorageException UNREACHABLE, TIMEOUT: call again; FORBIDDEN when this account has no
   *     permission; CONFLICT when a service of this name belongs to another owner
   */
  Optional<String> direct(String name, String address, int port) throws StorageException;

  /**
   * Removes a service. Succeeds when it is absent or belongs to another owner.
   *
   * @param name of the service, not null
   * @throws StorageException UNREACHABLE, TIMEOUT: call again; FORBIDDEN when this account has no
   *     permission
   */
  void remove(String name) throws StorageException;
}
