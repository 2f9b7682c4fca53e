package dev.holdfast.attacher.volume.expansion.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.TicketDemand;
import dev.holdfast.attacher.testkit.AttacherKit;
import dev.holdfast.attacher.testkit.ExpectedTicket;
import dev.holdfast.attacher.testkit.Volumes;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Volumes that are to grow, have grown, or cannot. */
class VolumeExpansionAttacherTest extends AttacherKit {
  private static final List<String> VOLUMES = List.of("a", "b", "c");

  @Override
  protected Reconciler<?> attacher() {
    return new VolumeExpansionAttacher();
  }

  @Override
  protected void prepare(ResourceStore store) throws StorageException {
    for (String volume : VOLUMES) {
      Volumes.create(store, volume);
    }
  }

  @Override
  protected void change(ResourceStore store, Random random) throws StorageException {
    String volume = VOLUMES.get(random.nextInt(VOLUMES.size()));
    boolean yes = random.nextBoolean();
    if (random.nextInt(3) == 0) {
      Robustness robustness = yes ? Robustness.FAULTED : Robustness.HEALTHY;
      Volumes.status(store, volume, status -> status.withRobustness(robustness));
    } else {
      Volumes.status(store, volume, status -> status.withExpansionRequired(yes));
    }
  }

  @Override
  protected Set<ExpectedTicket> wanted(ResourceStore store) throws StorageException {
    Set<ExpectedTicket> wanted = new TreeSet<>();
    for (Volume volume : store.list(Volume.KIND, LabelSelector.ALL).items()) {
      if (volume.status().expansionRequired()
          && volume.status().robustness() != Robustness.FAULTED) {
        wanted.add(
            new ExpectedTicket(
                "volume-expansion-controller-" + volume.name(),
                TicketDemand.withFrontend(volume.name())));
      }
    }
    return wanted;
  }

  @Test
  void expansionHasPriorityOverWorkloadsAndIsNotInterrupted() {
    assertThat(new VolumeExpansionAttacher().priority()).isEqualTo(2000);
    assertThat(new VolumeExpansionAttacher().role())
        .isEqualTo(AttacherProvider.Role.UNINTERRUPTIBLE);
  }

  @Test
  void standbyVolumeIsRequestedWithoutAFrontend() {
    Volume growing = Volumes.detached("v");
    growing =
        growing
            .withSpec(growing.spec().withStandby(true))
            .withStatus(growing.status().withExpansionRequired(true));
    assertThat(new VolumeExpansionAttacher().demands(growing, null).get(0).parameters())
        .containsEntry("disableFrontend", "true");
  }

  @Test
  void volumeIsRequestedWithItsFrontend() {
    Volume growing = Volumes.detached("v");
    growing = growing.withStatus(growing.status().withExpansionRequired(true));
    assertThat(new VolumeExpansionAttacher().demands(growing, null).get(0).parameters())
        .containsEntry("disableFrontend", "false");
  }

  private static Map<String, String> parameters(String reason) {
    Volume growing = Volumes.detached("v");
    List<Condition> conditions =
        Condition.with(List.of(), "Expanded", Condition.Status.FALSE, reason, "", Instant.EPOCH);
    growing =
        growing.withStatus(growing.status().withExpansionRequired(true).withConditions(conditions));
    return new VolumeExpansionAttacher().demands(growing, null).get(0).parameters();
  }

  @Test
  void failedExpansionIsInterruptedByAWorkloadOnAnotherNode() {
    assertThat(parameters("Expanding")).doesNotContainKey("interruptible");
    assertThat(parameters("ExpansionFailed")).containsEntry("interruptible", "true");
    assertThat(parameters("ExpansionUnsupported")).containsEntry("interruptible", "true");
  }
}
