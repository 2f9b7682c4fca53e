package dev.holdfast.resource.backup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BackupAddressesTest {
  private static final String PLAIN = "file:///backups";
  private static final String MOUNT = "nfs://server:/share?nfsOptions=vers%3D4.1%2Csoft";

  @Test
  void addressOfBackupNamesItBehindTheParametersOfItsTarget() {
    assertThat(BackupAddresses.ofVolume(PLAIN, "v1", "b1"))
        .isEqualTo("file:///backups?backup=b1&volume=v1");
    assertThat(BackupAddresses.ofVolume(MOUNT, "v1", "b 1"))
        .isEqualTo(MOUNT + "&backup=b+1&volume=v1");
    assertThat(BackupAddresses.ofImage(PLAIN, "debian"))
        .isEqualTo("file:///backups?backingImage=debian");
    assertThat(BackupAddresses.ofImage(MOUNT, "debian")).isEqualTo(MOUNT + "&backingImage=debian");
  }

  @ParameterizedTest
  @ValueSource(strings = {PLAIN, MOUNT})
  void targetIsFoundInEachAddress(String target) {
    String address = BackupAddresses.ofVolume(target, "v1", "b1");

    assertThat(BackupAddresses.targetOf(target)).isEqualTo(target);
    assertThat(BackupAddresses.targetOf(address)).isEqualTo(target);
    assertThat(BackupAddresses.targetOf(BackupAddresses.withBackup(address, "b2")))
        .isEqualTo(target);
    assertThat(BackupAddresses.targetOf(BackupAddresses.ofImage(target, "debian")))
        .isEqualTo(target);
  }

  @Test
  void addressMovesToAnotherTargetOrBackup() {
    String address = BackupAddresses.ofVolume(MOUNT, "v1", "b1");

    assertThat(BackupAddresses.atTarget(address, PLAIN))
        .isEqualTo(BackupAddresses.ofVolume(PLAIN, "v1", "b1"));
    assertThat(BackupAddresses.atTarget(BackupAddresses.ofVolume(PLAIN, "v1", "b1"), MOUNT))
        .isEqualTo(address);
    assertThat(BackupAddresses.atTarget(PLAIN, MOUNT)).isEqualTo(MOUNT);
    assertThat(BackupAddresses.withBackup(address, "b2")).isEqualTo(MOUNT + "&volume=v1&backup=b2");
  }

  @Test
  void targetMayHaveParametersButNamesNoContent() {
    assertThat(errors(MOUNT)).isEmpty();
    assertThat(errors(BackupAddresses.ofVolume(MOUNT, "v1", "b1")))
        .singleElement()
        .satisfies(error -> assertThat(error.field()).isEqualTo("spec.backupTargetURL"));
    assertThat(errors(BackupAddresses.ofImage(PLAIN, "debian"))).hasSize(1);
    assertThat(errors(PLAIN + "#part")).hasSize(1);
  }

  private static List<FieldError> errors(String address) {
    return BackupTargetSpec.EMPTY
        .withBackupTargetURL(address)
        .validate(ObjectMeta.named("default"));
  }
}
