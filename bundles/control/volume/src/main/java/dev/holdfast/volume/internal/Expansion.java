package dev.holdfast.volume.internal;

import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The sizes of a volume: the one that is wanted, and the one that its device has. A device grows
 * only while it is open, and never shrinks.
 */
final class Expansion {
  static final String EXPANSION = "EXPANSION";

  private final VolumeView view;
  private final Quantity wanted;

  Expansion(VolumeView view) {
    this.view = view;
    this.wanted = view.volume().spec().size();
  }

  /**
   * The size of the device: what an engine saw last, before that what its replicas were made as.
   */
  Quantity achieved() {
    Quantity seen = view.engine().map(e -> e.status().currentSize()).orElse(Quantity.ZERO);
    if (seen.bytes() > 0) {
      return seen;
    }
    Quantity told = view.volume().status().currentSize();
    boolean made = view.volume().status().state() != VolumeState.CREATING;
    return told.bytes() > 0 || !made
        ? told
        : view.replicas().stream()
            .map(replica -> replica.spec().size())
            .min(Comparator.naturalOrder())
            .orElse(Quantity.ZERO);
  }

  boolean isSupported() {
    String engine = view.volume().spec().dataEngine();
    return view.nodes().all().stream()
        .anyMatch(node -> view.nodes().can(node.name(), engine, EXPANSION));
  }

  /** Whether the device is smaller than wanted, and can grow. */
  boolean isRequired() {
    return isWanted() && isSupported();
  }

  boolean isWanted() {
    return achieved().bytes() > 0 && wanted.compareTo(achieved()) > 0;
  }

  /**
   * Size that engine and replicas receive: a device that was never open is opened with the size of
   * its creation.
   */
  Quantity requested(Quantity present) {
    boolean opened = view.engine().filter(e -> e.status().currentSize().bytes() > 0).isPresent();
    return opened && isSupported() && wanted.compareTo(achieved()) >= 0 ? wanted : present;
  }

  /** The spec with the size that the device has, when taking back an expansion came too late. */
  Optional<VolumeSpec> tooLate() {
    return wanted.compareTo(achieved()) < 0
        ? Optional.of(view.volume().spec().withSize(achieved()))
        : Optional.empty();
  }

  List<VolumePlan.Note> notes() {
    return tooLate()
        .map(
            spec ->
                new VolumePlan.Note(
                    true,
                    "ExpansionNotTakenBack",
                    "the device has " + spec.size() + " already, and never shrinks"))
        .map(List::of)
        .orElse(List.of());
  }

  /** The size of a replica that is made now. */
  Quantity ofNewReplica() {
    Quantity achieved = achieved();
    return achieved.bytes() > 0 ? achieved : wanted;
  }
}
