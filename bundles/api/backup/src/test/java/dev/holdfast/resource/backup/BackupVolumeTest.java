package dev.holdfast.resource.backup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.FieldError;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Names of cache entries follow from the target and the volume; wrong fields are named. */
class BackupVolumeTest {
  private static List<String> fields(List<FieldError> errors) {
    return errors.stream().map(FieldError::field).toList();
  }

  @Test
  void nameFollowsFromTargetAndVolume() {
    String name = BackupVolume.nameFor("default", "data");
    assertThat(name).matches("data-[0-9a-f]{8}").isEqualTo(BackupVolume.nameFor("default", "data"));
    assertThat(BackupVolume.nameFor("other", "data")).isNotEqualTo(name);
    assertThat(BackupVolume.of("default", "data").validate()).isEmpty();
  }

  @Test
  void nameOfALongVolumeIsCutAndStaysValid() {
    String volume = "v".repeat(53) + ".a" + "b".repeat(60);
    String name = BackupVolume.nameFor("default", volume);
    assertThat(name).hasSizeLessThanOrEqualTo(63).doesNotContain(".-");
    assertThat(Checks.isName(name)).isTrue();
    assertThat(BackupVolume.of("default", volume).validate()).isEmpty();
  }

  @Test
  void otherNamesAndChangesAreRefused() {
    BackupVolume volume = BackupVolume.of("default", "data");
    assertThat(fields(volume.withMetadata(volume.metadata().withName("data")).validate()))
        .containsExactly("metadata.name");
    assertThat(fields(BackupVolume.of("default", "other").validateChange(volume)))
        .containsExactly("spec.volumeName");
    assertThat(fields(volume.withSpec(volume.spec().withSyncRequest("two words")).validate()))
        .containsExactly("spec.syncRequest");
  }

  @Test
  void targetAndBackupFieldsAreChecked() {
    BackupTargetSpec spec = BackupTargetSpec.EMPTY.withBackupTargetURL("file:///backups");
    assertThat(BackupTarget.of("default", spec.withPollInterval(30)).validate()).isEmpty();
    assertThat(fields(BackupTarget.of("default", spec.withPollInterval(29)).validate()))
        .containsExactly("spec.pollInterval");
    assertThat(spec.layout()).isEqualTo("longhorn");
    assertThat(BackupTarget.of("default", spec.withLayout("packed")).validate()).isEmpty();
    assertThat(fields(BackupTarget.of("default", spec.withLayout("Packed")).validate()))
        .containsExactly("spec.layout");
    BackupTargetSpec zstd = spec.withCompressionMethod("zstd");
    assertThat(BackupTarget.of("default", zstd.withLayout("packed")).validate()).isEmpty();
    assertThat(BackupTarget.of("default", zstd).validate())
        .extracting(FieldError::toString)
        .singleElement()
        .asString()
        .contains("spec.compressionMethod", "set spec.layout to packed");
    BackupTargetSpec encrypted = spec.withEncryptionSecret("backup-keys");
    assertThat(BackupTarget.of("default", encrypted.withLayout("packed")).validate()).isEmpty();
    assertThat(BackupTarget.of("default", encrypted).validate())
        .extracting(FieldError::toString)
        .singleElement()
        .asString()
        .contains("spec.encryptionSecret", "set spec.layout to packed");
    BackupSpec backup = BackupSpec.EMPTY.withVolume("data");
    assertThat(Backup.of("first", backup.withNameAtTarget("First_1")).validate()).isEmpty();
    assertThat(fields(Backup.of("first", backup.withNameAtTarget("a/b")).validate()))
        .containsExactly("spec.nameAtTarget");
  }
}
