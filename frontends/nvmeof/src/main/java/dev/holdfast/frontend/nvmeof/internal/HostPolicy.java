package dev.holdfast.frontend.nvmeof.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.nvmeof.internal.auth.Authentication;
import dev.holdfast.frontend.nvmeof.internal.auth.HostSecrets;
import dev.holdfast.frontend.nvmeof.internal.wire.ConnectData;
import dev.holdfast.frontend.nvmeof.internal.wire.Status;

/**
 * What hosts can find here, and what they have to show.
 *
 * @param discoverable what can be discovered
 * @param secrets of hosts
 */
record HostPolicy(Discoverable discoverable, HostSecrets secrets) {

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
