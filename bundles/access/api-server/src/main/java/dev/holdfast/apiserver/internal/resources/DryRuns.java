package dev.holdfast.apiserver.internal.resources;

import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.Target;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.Resources;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.UUID;

/** Validates writes like all others without storing them. */
public final class DryRuns {
  private final ResourceStore store;
  private final Clock clock;

  public DryRuns(ResourceStore store, Clock clock) {
    this.store = store;
    this.clock = clock;
  }

  <R extends Resource<R>> R create(R resource) throws StorageException, ApiException {
    Resources.requireValid(resource);
    ResourceKind<R> kind = resource.resourceKind();
    if (store.get(kind, resource.name()).isPresent()) {
      throw ApiException.alreadyExists(Target.of(kind, resource.name()));
    }
    return resource.withMetadata(
        resource
            .metadata()
            .withUid(UUID.randomUUID().toString())
            .withGeneration(1)
            .withCreationTimestamp(Optional.of(clock.instant().truncatedTo(ChronoUnit.SECONDS))));
  }

  <R extends Resource<R>> R update(R resource) throws StorageException, ApiException {
    R present = present(resource);
    R next =
        resource
            .withStatusOf(present)
            .withMetadata(
                resource
                    .metadata()
                    .withUid(present.metadata().uid())
                    .withGeneration(present.metadata().generation())
                    .withCreationTimestamp(present.metadata().creationTimestamp())
                    .withDeletionTimestamp(present.metadata().deletionTimestamp()));
    Resources.requireValidChange(next, present);
    return next;
  }

  <R extends Resource<R>> R updateStatus(R resource) throws StorageException, ApiException {
    return present(resource).withStatusOf(resource);
  }

  private <R extends Resource<R>> R present(R resource) throws StorageException, ApiException {
    ResourceKind<R> kind = resource.resourceKind();
    Target target = Target.of(kind, resource.name());
    R present = store.get(kind, resource.name()).orElseThrow(() -> ApiException.notFound(target));
    if (!present.metadata().resourceVersion().equals(resource.metadata().resourceVersion())) {
      throw ApiException.conflict(target, "it has been modified; read it again and retry");
    }
    return present;
  }
}
