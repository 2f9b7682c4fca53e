package dev.holdfast.access;

import dev.holdfast.error.StorageException;
import java.net.URI;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A server outside of the cluster that knows users and their groups, such as an OpenID Connect
 * provider. Register the implementation as an OSGi service. Its users have the rights that access
 * bindings give to their names and groups. Implementations are thread-safe.
 */
@ConsumerType
public interface IdentityProvider {
  /** Returns whether the cluster is configured to use this provider. Does not block. */
  boolean isConfigured();

  /**
   * Returns the user of a token that was verified before. Does not block.
   *
   * @param token as the client sent it, not null
   * @return empty unless the token was verified and is valid now
   */
  Optional<UserCredential> known(String token);

  /**
   * Verifies a token that a client of the API sent. May request the provider's keys.
   *
   * @param token as the client sent it, not null
   * @return the user, never null
   * @throws StorageException FORBIDDEN with the reason for a token that is not valid; UNREACHABLE
   *     when the provider does not answer
   */
  UserCredential verify(String token) throws StorageException;

  /**
   * Returns whether sessions of a user remain valid, because the cluster still uses the provider
   * that authenticated the user. Does not block.
   *
   * @param user who signed in, not null
   */
  boolean accepts(UserCredential user);

  /**
   * Starts the sign-in of a browser.
   *
   * @param request with secrets of this sign-in, not null
   * @return address of the provider to which the browser goes, never null
   * @throws StorageException UNREACHABLE when the provider does not answer
   */
  URI begin(SignInRequest request) throws StorageException;

  /**
   * Completes the sign-in after the provider redirected the browser back.
   *
   * @param request the request of {@link #begin}, not null
   * @param code that the provider passed to the browser, not null
   * @return the user, never null
   * @throws StorageException FORBIDDEN with the reason when the provider, or its answer, does not
   *     admit the user; UNREACHABLE when the provider does not answer
   */
  UserCredential finish(SignInRequest request, String code) throws StorageException;
}
