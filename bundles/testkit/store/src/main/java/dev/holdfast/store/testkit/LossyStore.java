package dev.holdfast.store.testkit;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.ForwardingResourceStore;
import dev.holdfast.store.ResourceStore;
import java.util.Optional;
import java.util.Random;

/**
 * Loses requests and answers at random. A lost request fails with UNREACHABLE without an effect; a
 * lost answer fails with TIMEOUT after the effect. For one thread.
 */
final class LossyStore extends ForwardingResourceStore {
  private static final int ONE_OF = 5;

  private final Random random;

  LossyStore(ResourceStore store, Random random) {
    super(store);
    this.random = random;
  }

  private interface Call<T> {
    T make() throws StorageException;
  }

  private <T> T lossy(Call<T> call) throws StorageException {
    if (random.nextInt(ONE_OF) == 0) {
      throw new StorageException(ErrorCode.UNREACHABLE, "the request was lost (injected fault)");
    }
    T answer = call.make();
    if (random.nextInt(ONE_OF) == 0) {
      throw new StorageException(ErrorCode.TIMEOUT, "the answer was lost (injected fault)");
    }
    return answer;
  }

  @Override
  public <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name)
      throws StorageException {
    return lossy(() -> super.get(kind, name));
  }

  @Override
  public <R extends Resource<R>> R create(R resource) throws StorageException {
    return lossy(() -> super.create(resource));
  }

  @Override
  public <R extends Resource<R>> R update(R resource) throws StorageException {
    return lossy(() -> super.update(resource));
  }

  @Override
  public <R extends Resource<R>> Optional<R> delete(ResourceKind<R> kind, String name, String uid)
      throws StorageException {
    return lossy(() -> super.delete(kind, name, uid));
  }
}
