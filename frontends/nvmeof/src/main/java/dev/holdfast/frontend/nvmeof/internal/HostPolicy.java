package dev.holdfast.frontend.nvmeof.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ClientIdentity;
import dev.holdfast.frontend.ConnectionTls;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.TlsPolicy;
import dev.holdfast.frontend.nvmeof.internal.auth.Authentication;
import dev.holdfast.frontend.nvmeof.internal.auth.HostKeys;
import dev.holdfast.frontend.nvmeof.internal.auth.HostSecrets;
import dev.holdfast.frontend.nvmeof.internal.auth.TlsIdentity;
import dev.holdfast.frontend.nvmeof.internal.discovery.DiscoverySource;
import dev.holdfast.frontend.nvmeof.internal.wire.ConnectData;
import dev.holdfast.frontend.nvmeof.internal.wire.NvmeNames;
import dev.holdfast.frontend.nvmeof.internal.wire.RefusedException;
import dev.holdfast.frontend.nvmeof.internal.wire.Status;
import java.util.Optional;

/**
 * Exports that hosts can discover here, and the credentials that they need.
 *
 * @param discoverable source of the discovered exports
 * @param secrets secrets of hosts for authentication
 * @param keys keys of hosts for TLS
 */
record HostPolicy(DiscoverySource discoverable, HostSecrets secrets, HostKeys keys) {

  /**
   * Rejects a host that connected without TLS where TLS is required, or with the key of another
   * host and subsystem.
   */
  static void checkChannel(ConnectionTls security, ConnectData data) throws RefusedException {
    if (security.tls() == TlsPolicy.REQUIRED && !security.secured()) {
      throw new RefusedException(
          Status.CONNECT_INVALID_HOST, "host " + data.hostName() + " connected without TLS");
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

  /** Returns the secrets with which the host of a connection may authenticate. */
  HostSecrets secrets(FrontendConnection connection, String subsystem) {
    String export = NvmeNames.export(subsystem).orElse("");
    boolean needed =
        connection.export().needsIdentity(export)
            && connection.security().provenIdentity().isEmpty();
    return secrets.at(connection.export(), export, needed);
  }

  /**
   * Returns the authentication of a queue that is being connected; hosts without a secret are
   * refused. The queue executes no command before the host proved its identity, so the connection
   * has the rights of this identity.
   */
  Authentication authentication(FrontendConnection connection, ConnectData data)
      throws RefusedException {
    String host = data.hostName();
    HostSecrets here = secrets(connection, data.subsystem());
    try {
      if (here.required() && !here.has(host)) {
        String message = "host " + host + " has no secret here";
        here.refused(host, message);
        throw new RefusedException(Status.CONNECT_INVALID_HOST, message);
      }
      if (here.required()) {
        connection.export().identify(here.identity(host));
      } else if (connection.security().provenIdentity().isPresent()) {
        connection.export().identify(new ClientIdentity(ClientIdentity.Type.CONFIGURED, host));
      }
    } catch (StorageException e) {
      throw new RefusedException(Status.INTERNAL_ERROR, e.getMessage());
    }
    return Authentication.begin(here, host, data.subsystem());
  }
}
