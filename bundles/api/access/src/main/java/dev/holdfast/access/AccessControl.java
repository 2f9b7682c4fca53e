package dev.holdfast.access;

import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Identifies callers by their access tokens and decides which requests they may send. A service of
 * each node.
 *
 * <p>The answers come from memory. Only the first request with a token that was just created reads
 * the store. A change of a token, a role or a binding takes effect when the store has reported it,
 * normally within a second. While the store does not answer, the last known state holds.
 * Thread-safe.
 */
@ProviderType
public interface AccessControl {
  /**
   * Returns the caller that a token identifies.
   *
   * @param token as the client sent it, not null
   * @return empty for a token that is unknown, removed or expired
   * @throws StorageException UNREACHABLE if the tokens were not read yet: the client may try again
   */
  Optional<Caller> callerOf(String token) throws StorageException;

  /**
   * Returns the caller whose token has a hash, for a client that presented the token before.
   *
   * @param hash as {@link TokenSecret#hash} returns it, not null
   * @return empty for a token that is unknown, removed or expired
   * @throws StorageException UNREACHABLE if the tokens were not read yet: the client may try again
   */
  Optional<Caller> callerWith(String hash) throws StorageException;

  /**
   * Decides whether a caller may send a request.
   *
   * @param caller sender of the request, not null
   * @param request the request, not null
   * @return the decision, never null
   */
  AccessDecision decide(Caller caller, AccessRequest request);

  /**
   * Returns the rules that give a caller its rights.
   *
   * @param caller the caller, not null
   * @return the rules, never null; for a node only the rules that do not depend on the object
   */
  List<AccessRule> rulesOf(Caller caller);

  /**
   * Records the use of a token. Returns at once; the status of the token follows at most every 5
   * minutes.
   *
   * @param caller the caller, not null; ignored unless it has a token
   * @param source address of the client, not null
   * @return whether the token was not used from this address in the last 5 minutes; false without a
   *     token
   */
  boolean used(Caller caller, String source);
}
