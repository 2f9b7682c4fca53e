package dev.holdfast.volume.internal;

import dev.holdfast.controller.EventRecorder;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeStatus;
import java.util.List;
import java.util.Optional;

/** Events about changes of a volume. */
final class VolumeEvents {
  private VolumeEvents() {}

  static void tell(Volume volume, List<VolumePlan.Note> notes, EventRecorder events) {
    for (VolumePlan.Note note : notes) {
      if (note.warning()) {
        events.warning(volume, note.reason(), note.message());
      } else {
        events.normal(volume, note.reason(), note.message());
      }
    }
  }

  static void tell(Volume volume, VolumeStatus now, EventRecorder events) {
    VolumeStatus before = volume.status();
    if (before.state() != now.state()) {
      String node = now.currentNodeID();
      events.normal(
          volume,
          now.state().name().charAt(0) + now.state().toString().substring(1),
          "volume is " + now.state() + (node.isEmpty() ? "" : " on node " + node));
    }
    obstacle(now)
        .filter(text -> obstacle(before).isEmpty())
        .ifPresent(text -> events.warning(volume, "NotSchedulable", text));
    if (before.robustness() == now.robustness()) {
      return;
    }
    switch (now.robustness()) {
      case DEGRADED -> events.warning(volume, "Degraded", "fewer current replicas than wanted");
      case FAULTED -> events.warning(volume, Volume.FAULTED_CONDITION, "no current replica");
      case HEALTHY -> events.normal(volume, "Healthy", "all replicas are current");
      case UNKNOWN -> {}
    }
  }

  /** Returns why its replicas could not be placed; empty if they were, or if this is unknown. */
  private static Optional<String> obstacle(VolumeStatus status) {
    return Condition.find(status.conditions(), VolumeConditions.SCHEDULED)
        .filter(condition -> condition.status() == Condition.Status.FALSE)
        .map(Condition::message);
  }
}
