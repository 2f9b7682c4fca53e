package dev.holdfast.volume.internal;

import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.SalvageRequest;
import dev.holdfast.resource.volume.VolumeSpec;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How a person's word about which replicas count reaches the engine, once. It stands in the volume
 * until the engine has recorded that it was carried out, or until it is known not to be needed.
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

  /** Whether it is still to be carried out. */
  boolean isOpen() {
    return !request.isEmpty() && !isDone() && !isNeedless();
  }

  /** Request to the engine: nothing about replicas that the volume does not have. */
  SalvageRequest forEngine() {
    return isOpen() && unknown().isEmpty() ? request : SalvageRequest.NONE;
  }

  private List<String> unknown() {
    Set<String> names = view.replicas().stream().map(Replica::name).collect(Collectors.toSet());
    return request.replicas().stream().filter(name -> !names.contains(name)).toList();
  }

  /** A replica that was given up counts again when it is named. */
  boolean revives(Replica replica) {
    return isOpen()
        && unknown().isEmpty()
        && replica.spec().failedAt().isPresent()
        && request.replicas().contains(replica.name());
  }

  /** The spec without the request, when it is settled. */
  Optional<VolumeSpec> settled() {
    return request.isEmpty() || isOpen()
        ? Optional.empty()
        : Optional.of(view.volume().spec().withSalvage(SalvageRequest.NONE));
  }

  /** Notes for users when it is settled. */
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

  /** Why it cannot be carried out, for a person. */
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
