package dev.holdfast.recurring.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A job that verifies the newest backups of its volumes. */
class VerifyJobTest {
  private static final String NIGHT = "2026-11-21T03:00:00Z";

  private final JobLab lab = new JobLab();

  @BeforeEach
  void start() throws Exception {
    lab.job(spec -> spec.withTask("backup-verify").withRetain(2));
    lab.volume("va", Map.of());
  }

  @AfterEach
  void close() {
    lab.close();
  }

  private String verified(String backup) throws StorageException {
    return lab.store.get(Backup.KIND, backup).orElseThrow().status().verification().request();
  }

  @Test
  void newestBackupsAreVerifiedOnceInARun() throws Exception {
    lab.backup("b-1", "va", 1);
    lab.backup("b-2", "va", 2);
    lab.backup("b-3", "va", 3);
    lab.backup("c-1", "vb", 1);
    lab.night(NIGHT);

    assertThat(verified("b-1")).isEmpty();
    assertThat(verified("b-2")).isEqualTo("nightly/" + NIGHT);
    assertThat(verified("b-3")).isEqualTo("nightly/" + NIGHT);
    assertThat(verified("c-1")).as("of a volume that selects no job").isEmpty();
    assertThat(lab.job().status().active()).isEmpty();
    assertThat(lab.job().status().lastErrors()).isEmpty();
    assertThat(lab.job().status().lastSucceededAt()).isPresent();
    assertThat(lab.backups()).as("nothing is made or removed").hasSize(4);
    assertThat(lab.snapshots()).isEmpty();
  }

  @Test
  void damageIsAnErrorOfTheRun() throws Exception {
    lab.backup("b-damaged", "va", 1);
    lab.night(NIGHT);

    assertThat(lab.job().status().lastErrors())
        .containsExactly("volume va: backup b-damaged: 1 blocks are damaged at the target");
    assertThat(lab.job().status().lastSucceededAt()).isEmpty();
  }

  @Test
  void backupsOfAFaultedVolumeAreVerifiedToo() throws Exception {
    lab.backup("b-1", "va", 1);
    Volume volume = lab.store.get(Volume.KIND, "va").orElseThrow();
    lab.store.updateStatus(volume.withStatus(volume.status().withRobustness(Robustness.FAULTED)));
    lab.night(NIGHT);
    assertThat(verified("b-1")).isEqualTo("nightly/" + NIGHT);
  }

  @Test
  void volumesWaitForAPlaceAmongThoseWorkedOn() throws Exception {
    lab.change(spec -> spec.withConcurrency(1));
    lab.volume("vb", Map.of());
    lab.backup("b-1", "va", 1);
    lab.backup("c-1", "vb", 1);
    lab.clock.set(NIGHT);
    lab.settle();
    assertThat(lab.job().status().active()).containsExactly("va");
    assertThat(lab.job().status().pending()).containsExactly("vb");

    lab.night(NIGHT);
    assertThat(verified("c-1")).isEqualTo("nightly/" + NIGHT);
    assertThat(lab.job().status().pending()).isEmpty();
  }
}
