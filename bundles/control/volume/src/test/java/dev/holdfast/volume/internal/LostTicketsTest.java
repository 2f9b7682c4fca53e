package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.WorkloadAttachments;
import dev.holdfast.store.WorkloadAttachments.Attached;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A volume without VolumeAttachment, where the orchestrator knows whether pods use it. */
class LostTicketsTest {
  private final List<String> asked = new ArrayList<>();

  private static Simulation simulation(WorkloadAttachments workloads) throws StorageException {
    Simulation simulation =
        Simulation.builder(1)
            .faults(Faults.NONE)
            .reconciler("n1", () -> new VolumeReconciler(new VolumePlanner(), workloads))
            .build();
    simulation.store().create(Cluster.node("n1", 3));
    return simulation;
  }

  private static Optional<VolumeAttachment> afterwards(Simulation simulation, VolumeState state)
      throws StorageException {
    Volume volume = simulation.store().create(Cluster.volume("v"));
    simulation.store().updateStatus(volume.withStatus(volume.status().withState(state)));
    simulation.run(Duration.ofMinutes(1));
    return simulation.store().get(VolumeAttachment.KIND, "v");
  }

  private List<Attached> noted(String volume, Attached... attached) {
    asked.add(volume);
    return List.of(attached);
  }

  @Test
  void volumeGetsTheTicketsOfThePodsThatUseIt() throws Exception {
    Simulation simulation = simulation(volume -> noted(volume, new Attached("csi-1", "n1")));
    VolumeAttachment made = afterwards(simulation, VolumeState.DETACHED).orElseThrow();
    assertThat(asked).containsOnly("v");
    assertThat(made.spec().attachmentTickets()).containsOnlyKeys("csi-1");
  }

  @Test
  void volumeWaitsForItsTicketsUntilTheOrchestratorAnswers() throws Exception {
    Simulation simulation =
        simulation(
            volume -> {
              throw new StorageException(ErrorCode.FORBIDDEN, "volume " + volume + ": refused");
            });
    assertThat(afterwards(simulation, VolumeState.DETACHED)).isEmpty();
  }

  @Test
  void newVolumeIsUsedByNoPod() throws Exception {
    Simulation simulation = simulation(volume -> noted(volume));
    assertThat(
            afterwards(simulation, VolumeState.CREATING).orElseThrow().spec().attachmentTickets())
        .isEmpty();
    assertThat(asked).isEmpty();
  }
}
