package dev.holdfast.store.runtime;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.InvalidResourceException;
import dev.holdfast.resource.ManagedFields;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.Resources;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.resource.json.fields.FieldOwnership;
import dev.holdfast.store.WatchEvent;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The rules of the Kubernetes API for writes, as functions of what is stored and what is wanted.
 * They have no effect: the store applies the transition, atomically with having read what is
 * stored. For any number of threads if the clock and the uids are.
 */
public final class WriteRules {
  private final ResourceJson json;
  private final Clock clock;
  private final Supplier<String> uids;
  private final FieldOwnership ownership;

  /**
   * Creates the rules.
   *
   * @param json brings resources into the form in which they will be read again
   * @param clock for creation and deletion timestamps
   * @param uids gives a new uid with every call
   */
  public WriteRules(ResourceJson json, Clock clock, Supplier<String> uids) {
    this.json = json;
    this.clock = clock;
    this.uids = uids;
    this.ownership = new FieldOwnership(json);
  }

  /**
   * Decides about {@link dev.holdfast.store.ResourceStore#create}.
   *
   * @throws StorageException ALREADY_EXISTS, INVALID
   */
  public <R extends Resource<R>> Transition<R> create(Optional<R> stored, R given)
      throws StorageException {
    R wanted = given.completed(Optional.empty());
    Resources.requireValid(wanted);
    if (stored.isPresent()) {
      throw new StorageException(
          ErrorCode.ALREADY_EXISTS, describe(wanted.resourceKind(), wanted.name()) + " exists");
    }
    ObjectMeta metadata =
        wanted
            .metadata()
            .withUid(uids.get())
            .withResourceVersion("")
            .withGeneration(1)
            .withCreationTimestamp(Optional.of(now()))
            .withDeletionTimestamp(Optional.empty());
    return Transition.to(WatchEvent.Type.ADDED, json.canonical(wanted.withMetadata(metadata)));
  }

  /**
   * Decides about {@link dev.holdfast.store.ResourceStore#update}.
   *
   * @throws StorageException NOT_FOUND, CONFLICT, INVALID
   */
  public <R extends Resource<R>> Transition<R> update(Optional<R> stored, R given)
      throws StorageException {
    R before = requireSame(stored, given);
    R wanted = given.completed(stored);
    Resources.requireValidChange(wanted, before);
    requireNoNewFinalizer(before, wanted);
    R canonical = accountedFor(before, json.canonical(wanted));
    boolean specChanged = !canonical.spec().equals(before.spec());
    ObjectMeta kept = before.metadata();
    ObjectMeta metadata =
        canonical
            .metadata()
            .withUid(kept.uid())
            .withGeneration(specChanged ? kept.generation() + 1 : kept.generation())
            .withCreationTimestamp(kept.creationTimestamp())
            .withDeletionTimestamp(kept.deletionTimestamp());
    R after = canonical.withMetadata(metadata).withStatusOf(before);
    if (before.isBeingDeleted() && metadata.finalizers().isEmpty()) {
      return Transition.to(WatchEvent.Type.DELETED, after);
    }
    return changed(before, after);
  }

  /**
   * Decides about {@link dev.holdfast.store.ResourceStore#updateStatus}.
   *
   * @throws StorageException NOT_FOUND, CONFLICT, INVALID
   */
  public <R extends Resource<R>> Transition<R> updateStatus(Optional<R> stored, R wanted)
      throws StorageException {
    R before = requireSame(stored, wanted);
    return changed(before, json.canonical(before.withStatusOf(wanted)));
  }

  /**
   * Decides about {@link dev.holdfast.store.ResourceStore#delete}.
   *
   * @throws StorageException NOT_FOUND, CONFLICT
   */
  public <R extends Resource<R>> Transition<R> delete(
      Optional<R> stored, ResourceKind<R> kind, String name, String uid) throws StorageException {
    R before = stored.orElseThrow(() -> notFound(kind, name));
    requireUid(before, uid);
    if (before.metadata().finalizers().isEmpty()) {
      return Transition.to(WatchEvent.Type.DELETED, before);
    }
    if (before.isBeingDeleted()) {
      return Transition.none(before);
    }
    return Transition.to(
        WatchEvent.Type.MODIFIED,
        before.withMetadata(before.metadata().withDeletionTimestamp(Optional.of(now()))));
  }

  /**
   * A client of the API states there which fields it manages. A writer that leaves that as it was
   * is one of our own: its changes are the controllers'.
   */
  private <R extends Resource<R>> R accountedFor(R before, R wanted) {
    List<ManagedFields> managers = before.metadata().managedFields();
    if (managers.isEmpty() || !wanted.metadata().managedFields().equals(managers)) {
      return wanted;
    }
    return wanted.withMetadata(
        wanted
            .metadata()
            .withManagedFields(
                ownership.afterUpdate(
                    before, wanted, FieldOwnership.CONTROLLERS, clock.instant())));
  }

  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.SECONDS);
  }

  private static <R extends Resource<R>> Transition<R> changed(R before, R after) {
    return after.equals(before)
        ? Transition.none(before)
        : Transition.to(WatchEvent.Type.MODIFIED, after);
  }

  private static <R extends Resource<R>> R requireSame(Optional<R> stored, R wanted)
      throws StorageException {
    ResourceKind<R> kind = wanted.resourceKind();
    R before = stored.orElseThrow(() -> notFound(kind, wanted.name()));
    requireUid(before, wanted.metadata().uid());
    String version = wanted.metadata().resourceVersion();
    if (version.isEmpty()) {
      throw new InvalidResourceException(
          kind,
          wanted.name(),
          List.of(
              FieldError.required(
                  "metadata.resourceVersion",
                  "must be the version that the resource was read with")));
    }
    if (!version.equals(before.metadata().resourceVersion())) {
      throw new StorageException(
          ErrorCode.CONFLICT,
          describe(kind, wanted.name())
              + " has resourceVersion "
              + before.metadata().resourceVersion()
              + ", not "
              + version
              + ": it was changed since it was read; read it again and apply the change to that");
    }
    return before;
  }

  private static void requireUid(Resource<?> before, String uid) throws StorageException {
    if (!uid.isEmpty() && !uid.equals(before.metadata().uid())) {
      throw new StorageException(
          ErrorCode.CONFLICT,
          describe(before.resourceKind(), before.name())
              + " has uid "
              + before.metadata().uid()
              + ", not "
              + uid
              + ": it is another resource of the same name");
    }
  }

  private static <R extends Resource<R>> void requireNoNewFinalizer(R before, R wanted)
      throws InvalidResourceException {
    if (before.isBeingDeleted()
        && !before.metadata().finalizers().containsAll(wanted.metadata().finalizers())) {
      throw new InvalidResourceException(
          wanted.resourceKind(),
          wanted.name(),
          List.of(
              FieldError.forbidden(
                  "metadata.finalizers",
                  "no finalizer can be added while the resource is being deleted")));
    }
  }

  private static StorageException notFound(ResourceKind<?> kind, String name) {
    return new StorageException(ErrorCode.NOT_FOUND, describe(kind, name) + " does not exist");
  }

  private static String describe(ResourceKind<?> kind, String name) {
    return kind.singular() + " \"" + name + "\"";
  }
}
