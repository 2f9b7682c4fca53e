package dev.holdfast.client;

import dev.holdfast.access.AccessRole;
import dev.holdfast.access.AccessToken;
import dev.holdfast.access.AccessTokenSpec;
import dev.holdfast.access.BuiltInRole;
import dev.holdfast.access.TokenSecret;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Access tokens of users and programs, and the roles that they can have. Thread-safe. */
public final class AccessTokens {
  private final ResourceStore store;

  /** Manages the tokens of a store. */
  public AccessTokens(ResourceStore store) {
    this.store = store;
  }

  /**
   * A created token.
   *
   * @param token the stored token, without the secret
   * @param secret the secret for the user, which cannot be read again
   */
  public record Created(AccessToken token, TokenSecret secret) {}

  /**
   * Creates a token. Only its hash leaves this process.
   *
   * @param role name of a built-in role or of an AccessRole
   * @param end expiry of the token, empty for never
   * @throws StorageException NOT_FOUND for the role; ALREADY_EXISTS; INVALID with the field
   */
  public Created create(String name, String role, Optional<Instant> end, String description)
      throws StorageException {
    requireRole(role);
    TokenSecret secret = TokenSecret.random();
    AccessTokenSpec spec =
        AccessTokenSpec.EMPTY
            .withRole(role)
            .withSecretHash(secret.hash())
            .withExpiresAt(end)
            .withDescription(description);
    return new Created(store.create(AccessToken.of(name, spec)), secret);
  }

  private void requireRole(String role) throws StorageException {
    if (BuiltInRole.named(role).isEmpty() && store.get(AccessRole.KIND, role).isEmpty()) {
      String known =
          Stream.concat(
                  Stream.of(BuiltInRole.values()).map(BuiltInRole::roleName),
                  roles().stream().map(AccessRole::name))
              .collect(Collectors.joining(", "));
      throw new StorageException(
          ErrorCode.NOT_FOUND, "role " + role + " does not exist: use one of " + known);
    }
  }

  /**
   * Replaces a token by a new one with the same name, role, end and description. The former secret
   * is rejected within some seconds. A failure between the steps leaves no token; then create it
   * again.
   *
   * @throws StorageException NOT_FOUND; CONFLICT if it was replaced concurrently
   */
  public Created rotate(String name) throws StorageException {
    AccessToken former = require(name);
    TokenSecret secret = TokenSecret.random();
    Optional<AccessToken> unused = store.delete(AccessToken.KIND, name, former.metadata().uid());
    AccessToken next = AccessToken.of(name, former.spec().withSecretHash(secret.hash()));
    return new Created(store.create(next), secret);
  }

  private AccessToken require(String name) throws StorageException {
    return store
        .get(AccessToken.KIND, name)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.NOT_FOUND,
                    "token " + name + " does not exist: see 'holdfast token list'"));
  }

  /** Returns all tokens by name. */
  public ResourceList<AccessToken> list() throws StorageException {
    return store.list(AccessToken.KIND, LabelSelector.ALL);
  }

  /** Returns the roles of the cluster by name, without the built-in ones. */
  public List<AccessRole> roles() throws StorageException {
    return store.list(AccessRole.KIND, LabelSelector.ALL).items();
  }

  /**
   * Removes a token. The server rejects its requests and ends its watches within some seconds.
   *
   * @throws StorageException NOT_FOUND
   */
  public void remove(String name) throws StorageException {
    AccessToken found = require(name);
    Optional<AccessToken> unused = store.delete(AccessToken.KIND, name, found.metadata().uid());
  }
}
