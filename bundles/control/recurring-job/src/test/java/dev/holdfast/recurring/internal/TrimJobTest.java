package dev.holdfast.recurring.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.RequestOutcome;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareManagerSpec;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A job that trims the filesystems of its volumes. */
class TrimJobTest {
  private static final String NIGHT = "2026-11-21T03:00:00Z";
  private static final String NEXT = "2026-11-22T03:00:00Z";
  private static final RequestOutcome TRIMMED = RequestOutcome.EMPTY.withResult("4Mi trimmed");

  private final JobLab lab = new JobLab();

  @BeforeEach
  void start() throws Exception {
    lab.job(spec -> spec.withTask("filesystem-trim"));
    lab.volume("va", Map.of());
  }

  @AfterEach
  void close() {
    lab.close();
  }

  private Volume volume(String name) throws StorageException {
    return lab.store.get(Volume.KIND, name).orElseThrow();
  }

  private void state(String name, VolumeState state) throws StorageException {
    Volume volume = volume(name);
    lab.store.updateStatus(volume.withStatus(volume.status().withState(state)));
  }

  private void night(String time) throws StorageException {
    lab.clock.set(time);
    lab.settle();
  }

  /** Ends the request of a volume, as its node does. */
  private void ends(String name, RequestOutcome outcome) throws StorageException {
    Volume volume = volume(name);
    lab.store.updateStatus(
        volume.withStatus(volume.status().withTrim(ended(volume.spec().trimRequest(), outcome))));
    lab.settle();
  }

  private RequestOutcome ended(String request, RequestOutcome outcome) {
    return outcome.withRequestID(request).withFinishedAt(Optional.of(lab.clock.instant()));
  }

  @Test
  void attachedVolumeIsTrimmedOnceInARun() throws Exception {
    state("va", VolumeState.ATTACHED);
    night(NIGHT);
    assertThat(volume("va").spec().trimRequest()).isEqualTo("nightly/" + NIGHT);
    assertThat(lab.job().status().active()).containsExactly("va");
    assertThat(lab.job().status().lastSucceededAt()).isEmpty();

    ends("va", TRIMMED);
    assertThat(lab.job().status().active()).isEmpty();
    assertThat(lab.job().status().lastErrors()).isEmpty();
    assertThat(lab.job().status().lastSkipped()).isEmpty();
    assertThat(lab.job().status().lastSucceededAt()).isPresent();
    assertThat(lab.backups()).isEmpty();
    assertThat(lab.snapshots()).isEmpty();
  }

  @Test
  void detachedVolumeIsSkippedWithTheReason() throws Exception {
    state("va", VolumeState.DETACHED);
    night(NIGHT);
    assertThat(volume("va").spec().trimRequest()).isEmpty();
    assertThat(lab.job().status().lastSkipped()).containsExactly("volume va: it is not attached");
    assertThat(lab.job().status().lastErrors()).isEmpty();
    assertThat(lab.job().status().lastSucceededAt()).isPresent();

    state("va", VolumeState.ATTACHED);
    night(NEXT);
    assertThat(lab.job().status().lastSkipped()).as("of the next run").isEmpty();
  }

  @Test
  void volumeWithoutAMountIsSkippedWithTheReason() throws Exception {
    state("va", VolumeState.ATTACHED);
    night(NIGHT);
    ends(
        "va",
        RequestOutcome.EMPTY.withResult(
            Volume.TRIM_SKIPPED + "nothing of it is mounted on node node-1"));
    assertThat(lab.job().status().lastSkipped())
        .containsExactly("volume va: nothing of it is mounted on node node-1");
    assertThat(lab.job().status().lastSucceededAt()).isPresent();
  }

  @Test
  void failedTrimIsAnErrorOfTheRun() throws Exception {
    state("va", VolumeState.ATTACHED);
    night(NIGHT);
    ends("va", RequestOutcome.EMPTY.withError("fstrim failed with exit code 1"));
    assertThat(lab.job().status().lastErrors())
        .containsExactly("volume va: trim: fstrim failed with exit code 1");
    assertThat(lab.job().status().lastSucceededAt()).isEmpty();

    night(NEXT);
    ends("va", TRIMMED);
    assertThat(lab.job().status().lastErrors()).isEmpty();
    assertThat(lab.job().status().lastSucceededAt()).isPresent();
  }

  @Test
  void runEndsWhenItsVolumeIsDetached() throws Exception {
    state("va", VolumeState.ATTACHED);
    night(NIGHT);
    state("va", VolumeState.DETACHED);
    lab.settle();
    assertThat(lab.job().status().active()).isEmpty();
    assertThat(lab.job().status().lastSkipped()).containsExactly("volume va: it is not attached");
  }

  @Test
  void sharedVolumeIsTrimmedByItsShare() throws Exception {
    state("va", VolumeState.ATTACHED);
    ShareManager share = lab.store.create(ShareManager.of(ShareManagerSpec.EMPTY.withVolume("va")));
    night(NIGHT);
    assertThat(lab.job().status().lastSkipped())
        .containsExactly("volume va: its share does not run");

    lab.store.updateStatus(share.withStatus(share.status().withState(InstanceState.RUNNING)));
    night(NEXT);
    assertThat(volume("va").spec().trimRequest()).isEmpty();
    share = lab.store.get(ShareManager.KIND, "va").orElseThrow();
    assertThat(share.spec().trimRequest()).isEqualTo("nightly/" + NEXT);
    lab.store.updateStatus(
        share.withStatus(share.status().withTrim(ended("nightly/" + NEXT, TRIMMED))));
    lab.settle();
    assertThat(lab.job().status().active()).isEmpty();
    assertThat(lab.job().status().lastSkipped()).isEmpty();
    assertThat(lab.job().status().lastSucceededAt()).isPresent();
  }

  @Test
  void volumesWaitForAPlaceAmongThoseWorkedOn() throws Exception {
    lab.change(spec -> spec.withConcurrency(1));
    lab.volume("vb", Map.of());
    state("va", VolumeState.ATTACHED);
    state("vb", VolumeState.ATTACHED);
    night(NIGHT);
    assertThat(lab.job().status().active()).containsExactly("va");
    assertThat(lab.job().status().pending()).containsExactly("vb");

    ends("va", TRIMMED);
    assertThat(lab.job().status().active()).containsExactly("vb");
    ends("vb", TRIMMED);
    assertThat(lab.job().status().lastSucceededAt()).isPresent();
  }
}
