package dev.holdfast.volume.internal;

import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.SalvageRequest;
import dev.holdfast.resource.volume.VolumeSpec;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Passes an administrator's salvage request to the engine once. The request remains in the volume
 * until the engine has recorded its execution, or until it is unnecessary.
 */
final class Salvage {
  private final VolumeView view;
  private final SalvageRequest request;

  Salvage(VolumeView view) {
    this.view = view;
    this.request = view.volume().spec().salvage();
  }

  private boolean isDone() {
    return view.engine().filter(e -> e.status().salvaged().equals(request.id())).isPresent();
  }

  private boolean isNeedless() {
    return view.running().isPresent();
  }

  /** Returns whether the request must still be executed. */
  boolean isOpen() {
    return !request.isEmpty() && !isDone() && !isNeedless();
  }

  /** Returns the request for the engine, limited to replicas of the volume. */
  SalvageRequest forEngine() {
    return isOpen() && unknown().isEmpty() ? request : SalvageRequest.NONE;
  }

  private List<String> unknown() {
    Set<String> names = view.replicas().stream().map(Replica::name).collect(Collectors.toSet());
    return request.replicas().stream().filter(name -> !names.contains(name)).toList();
  }

  /** Returns whether the request revives an excluded replica by naming it. */
  boolean revives(Replica replica) {
    return isOpen()
        && unknown().isEmpty()
        && replica.spec().failedAt().isPresent()
        && request.replicas().contains(replica.name());
  }

  /** Returns the spec without the request if it is settled. */
  Optional<VolumeSpec> settled() {
    return request.isEmpty() || isOpen()
        ? Optional.empty()
        : Optional.of(view.volume().spec().withSalvage(SalvageRequest.NONE));
  }

  /** Returns the events for a settled request. */
  List<VolumePlan.Note> notes() {
    if (settled().isEmpty()) {
      return List.of();
    }
    return List.of(
        isDone()
            ? new VolumePlan.Note(
                false,
                "Salvaged",
                "the content of replicas " + request.replicas() + " is the volume's, as declared")
            : new VolumePlan.Note(
                true,
                "SalvageRefused",
                "the volume is in use and needs no salvage: nothing was changed"));
  }

  /** Returns why the request cannot be executed, for users. */
  Optional<String> obstacle() {
    return !isOpen() || unknown().isEmpty()
        ? Optional.empty()
        : Optional.of(
            "spec.salvage names "
                + unknown()
                + ", which the volume does not have; its replicas are "
                + view.replicas().stream().map(Replica::name).sorted().toList());
  }
}
