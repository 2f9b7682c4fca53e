package dev.holdfast.store.memory;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.ForwardingResourceStore;
import dev.holdfast.store.ResourceStore;
import java.util.Optional;

/**
 * Forwards all calls to another store. Writes fail as its schedule decides: before they are applied
 * (a lost request) or afterwards (a lost reply).
 */
public final class FaultyResourceStore extends ForwardingResourceStore {
  private final FaultSchedule schedule;

  /**
   * Creates a store with faults.
   *
   * @param store store that executes the calls
   * @param schedule called once before every write
   */
  public FaultyResourceStore(ResourceStore store, FaultSchedule schedule) {
    super(store);
    this.schedule = schedule;
  }

  @Override
  public <R extends Resource<R>> R create(R resource) throws StorageException {
    return write(
        FaultSchedule.Operation.CREATE,
        resource.resourceKind(),
        resource.name(),
        () -> super.create(resource));
  }

  @Override
  public <R extends Resource<R>> R update(R resource) throws StorageException {
    return write(
        FaultSchedule.Operation.UPDATE,
        resource.resourceKind(),
        resource.name(),
        () -> super.update(resource));
  }

  @Override
  public <R extends Resource<R>> R updateStatus(R resource) throws StorageException {
    return write(
        FaultSchedule.Operation.UPDATE_STATUS,
        resource.resourceKind(),
        resource.name(),
        () -> super.updateStatus(resource));
  }

  @Override
  public <R extends Resource<R>> Optional<R> delete(ResourceKind<R> kind, String name, String uid)
      throws StorageException {
    return write(FaultSchedule.Operation.DELETE, kind, name, () -> super.delete(kind, name, uid));
  }

  private interface Write<T> {
    T apply() throws StorageException;
  }

  private <T> T write(
      FaultSchedule.Operation operation, ResourceKind<?> kind, String name, Write<T> write)
      throws StorageException {
    String what = operation + " of " + kind.singular() + " \"" + name + "\"";
    return switch (schedule.next(operation, kind, name)) {
      case NONE -> write.apply();
      case BEFORE ->
          throw new StorageException(
              ErrorCode.UNREACHABLE, what + ": the request was lost (injected fault)");
      case AFTER -> {
        write.apply();
        throw new StorageException(
            ErrorCode.TIMEOUT, what + ": the answer was lost (injected fault)");
      }
    };
  }
}
