package dev.holdfast.volume.internal;

import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The wanted size of a volume and the size of its device. A device grows only while it is open, and
 * never shrinks.
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
   * Returns the size of the device: the last one that an engine observed, before that the size of
   * the replicas' creation.
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

  /** Returns whether the device is smaller than wanted and can grow. */
  boolean isRequired() {
    return isWanted() && isSupported();
  }

  boolean isWanted() {
    return achieved().bytes() > 0 && wanted.compareTo(achieved()) > 0;
  }

  /**
   * Returns the size for engine and replicas. A device that was never open is opened with the size
   * of its creation.
   */
  Quantity requested(Quantity present) {
    boolean opened = view.engine().filter(e -> e.status().currentSize().bytes() > 0).isPresent();
    return opened && isSupported() && wanted.compareTo(achieved()) >= 0 ? wanted : present;
  }

  /** Returns the spec with the device's size, if the cancellation of an expansion came too late. */
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

  /** Returns the size for a new replica. */
  Quantity ofNewReplica() {
    Quantity achieved = achieved();
    return achieved.bytes() > 0 ? achieved : wanted;
  }
}
