package dev.holdfast.frontend.nvmeof.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ConnectionTls;
import dev.holdfast.frontend.TlsPolicy;
import dev.holdfast.frontend.nvmeof.internal.auth.Authentication;
import dev.holdfast.frontend.nvmeof.internal.auth.HostKeys;
import dev.holdfast.frontend.nvmeof.internal.auth.HostSecrets;
import dev.holdfast.frontend.nvmeof.internal.auth.TlsIdentity;
import dev.holdfast.frontend.nvmeof.internal.discovery.DiscoverySource;
import dev.holdfast.frontend.nvmeof.internal.wire.ConnectData;
import dev.holdfast.frontend.nvmeof.internal.wire.RefusedException;
import dev.holdfast.frontend.nvmeof.internal.wire.Status;
import java.util.Optional;

/**
 * Exports that hosts can find here, and the credentials that they have to show.
 *
 * @param discoverable what can be discovered
 * @param secrets of hosts, for authentication
 * @param keys of hosts, for TLS
 */
record HostPolicy(DiscoverySource discoverable, HostSecrets secrets, HostKeys keys) {

  /** Refuses who came without TLS where it is required, or with the key of another pair. */
  static void checkChannel(ConnectionTls security, ConnectData data) throws RefusedException {
    if (security.tls() == TlsPolicy.REQUIRED && !security.secured()) {
      throw new RefusedException(
          Status.CONNECT_INVALID_HOST, "host " + data.hostName() + " came without TLS");
    }
    Optional<String> proven = security.provenIdentity();
    boolean same =
        proven
            .flatMap(TlsIdentity::of)
            .filter(key -> key.host().equals(data.hostName()))
            .filter(key -> key.subsystem().equals(data.subsystem()))
            .isPresent();
    if (proven.isPresent() && !same) {
      throw new RefusedException(
          Status.CONNECT_INVALID_HOST,
          "host " + data.hostName() + " has no TLS key for " + data.subsystem() + " but another's");
    }
  }

  /** Returns the authentication of a queue that is being connected; some hosts may not. */
  Authentication authentication(ConnectData data) throws RefusedException {
    try {
      if (secrets.required() && !secrets.has(data.hostName())) {
        throw new RefusedException(
            Status.CONNECT_INVALID_HOST, "host " + data.hostName() + " has no secret here");
      }
    } catch (StorageException e) {
      throw new RefusedException(Status.INTERNAL_ERROR, e.getMessage());
    }
    return Authentication.begin(secrets, data.hostName(), data.subsystem());
  }
}
