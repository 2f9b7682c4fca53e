package dev.holdfast.cluster.internal;

import dev.holdfast.certificates.AuthorityRotation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;
import java.util.Set;

/** Refuses to rotate an authority whose key the nodes take from a shared store. */
final class SharedKey implements AuthorityRotation {
  private static final Set<String> STORES = Set.of("kubernetes", "etcd");

  private final String store;

  private SharedKey(String store) {
    this.store = store;
  }

  /** Returns the rotation, or a refusal where nodes share the key by a store of this kind. */
  static AuthorityRotation guard(AuthorityRotation rotation, String store) {
    return store != null && STORES.contains(store) ? new SharedKey(store) : rotation;
  }

  private StorageException refusal() {
    return new StorageException(
        ErrorCode.UNSUPPORTED,
        "the nodes share the key of the authority by the store "
            + store
            + ": rotation needs a cluster whose store is embedded in a node");
  }

  @Override
  public Optional<Step> step() {
    return Optional.empty();
  }

  @Override
  public void begin() throws StorageException {
    throw refusal();
  }

  @Override
  public void sign() throws StorageException {
    throw refusal();
  }

  @Override
  public void finish() throws StorageException {
    throw refusal();
  }
}
