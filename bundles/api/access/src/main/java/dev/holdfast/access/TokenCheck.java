package dev.holdfast.access;

import dev.holdfast.error.StorageException;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/** Identifies the credential of a bearer token. Thread-safe. */
@ProviderType
public interface TokenCheck {
  /**
   * Finds the credential of a user's token, also of a user of the cluster that keeps the resources.
   * Tokens of nodes are not found, because a node does not use a page. May send a request to the
   * cluster.
   *
   * @param token as the client sent it, not null
   * @return an identifier of the credential from which the token cannot be derived; it changes when
   *     the token is replaced; empty when the token is not known
   * @throws StorageException UNREACHABLE, TIMEOUT or BUSY if the tokens were not read yet or the
   *     cluster does not answer: the client may try again; FORBIDDEN if the node has no permission
   *     to review tokens
   */
  Optional<String> credentialOf(String token) throws StorageException;
}
