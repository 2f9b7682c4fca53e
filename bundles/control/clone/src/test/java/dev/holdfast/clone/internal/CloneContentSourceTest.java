package dev.holdfast.clone.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CloneContentSourceTest {
  private static final VolumeSpec SPEC = VolumeSpec.EMPTY.withSize(Quantity.parse("1Gi"));

  private final CloneContentSource source = new CloneContentSource();

  @Test
  void copyOfAnotherVolumeIsSupplied() {
    VolumeSpec copy = SPEC.withCloneSource(Optional.of(new CloneSource("other", "")));
    assertThat(source.supplies(Volume.of("copy", copy))).isTrue();
  }

  @Test
  void volumeThatIsRestoredFromBackupIsLeftToItsOwnSource() {
    VolumeSpec restored = SPEC.withFromBackup("file:///backups?backup=b1&volume=v1");
    assertThat(source.supplies(Volume.of("restored", restored))).isFalse();
  }
}
