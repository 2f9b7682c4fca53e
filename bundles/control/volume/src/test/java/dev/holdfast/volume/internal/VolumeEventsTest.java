package dev.holdfast.volume.internal;

import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.cluster.Event;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class VolumeEventsTest {
  private static boolean isWarned(ResourceStore store) throws StorageException {
    return store.list(Event.KIND, LabelSelector.ALL).items().stream()
        .map(Event::spec)
        .filter(event -> event.reason().equals("NotSchedulable"))
        .filter(event -> event.type().equals("Warning"))
        .anyMatch(event -> event.message().contains("cannot be placed"));
  }

  @Test
  void volumeThatFitsOnNoDiskIsReportedByAWarning() throws Exception {
    Simulation simulation =
        Simulation.builder(1)
            .faults(Faults.NONE)
            .reconciler("n1", () -> new VolumeReconciler(new VolumePlanner(), volume -> List.of()))
            .build();
    simulation.store().create(Cluster.node("n1", 3));
    Volume volume = Cluster.volume("v");
    simulation.store().create(volume.withSpec(volume.spec().withSize(Quantity.parse("900Ti"))));
    simulation.runUntil("warned", Duration.ofMinutes(5), VolumeEventsTest::isWarned);
  }
}
