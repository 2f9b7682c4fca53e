package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupTargetSpec;
import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.backup.RecurringJobSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Jobs are made, selected by volumes, suspended and deleted. */
class RecurringJobsTest {
  private static final RecurringJobSpec NIGHTLY =
      RecurringJobSpec.EMPTY.withTask("backup").withCron("0 3 * * *").withRetain(7);

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final RecurringJobs jobs = new RecurringJobs(store);

  @AfterEach
  void close() {
    store.close();
  }

  private void addTarget() throws Exception {
    store.create(
        BackupTarget.of(
            BackupTarget.DEFAULT_NAME,
            BackupTargetSpec.EMPTY.withBackupTargetURL("file:///backups")));
  }

  @Test
  void jobOfBackupsNeedsItsTarget() throws Exception {
    assertThatThrownBy(() -> jobs.create("nightly", NIGHTLY))
        .hasMessage(
            "backup target default does not exist: add it with 'holdfast backup add-target URL'");
    jobs.create("hourly", NIGHTLY.withTask("snapshot").withCron("@hourly"));
    addTarget();
    jobs.create("nightly", NIGHTLY);
    assertThat(jobs.list().items())
        .extracting(RecurringJob::name)
        .containsExactly("hourly", "nightly");
  }

  @Test
  void volumeSelectsAJobByItsLabel() throws Exception {
    addTarget();
    RecurringJob job = jobs.create("nightly", NIGHTLY);
    store.create(Volume.of("vol", VolumeSpec.EMPTY.withSize(Quantity.parse("8Mi"))));
    assertThat(jobs.volumes(job)).isEmpty();
    jobs.select("nightly", "vol", true);
    assertThat(jobs.volumes(job)).containsExactly("vol");
    jobs.select("nightly", "vol", false);
    assertThat(jobs.volumes(job)).isEmpty();
  }

  @Test
  void jobIsSuspendedResumedAndDeleted() throws Exception {
    addTarget();
    jobs.create("nightly", NIGHTLY);
    assertThat(jobs.suspend("nightly", true).spec().suspend()).isTrue();
    assertThat(jobs.suspend("nightly", false).spec().suspend()).isFalse();
    jobs.delete("nightly");
    assertThatThrownBy(() -> jobs.get("nightly"))
        .hasMessage("recurring job nightly does not exist: see 'holdfast recurring-job list'");
  }
}
