package dev.holdfast.csi.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.csi.internal.server.RequestedAccess;
import dev.holdfast.csi.v1.Csi.VolumeCapability.AccessMode.Mode;
import dev.holdfast.initiator.HostState;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StagedVolumesTest {
  private static final RequestedAccess ACCESS =
      new RequestedAccess(false, Mode.SINGLE_NODE_WRITER, "", List.of());

  @TempDir private Path folder;

  @Test
  void encryptedVolumeIsRecognized() throws Exception {
    StagedVolumes staged = new StagedVolumes(new HostState(folder));
    staged.write(StagedVolume.planned("secret", "/staging", ACCESS, true).on("/dev/x", "ext4"));
    assertThat(staged.find("secret").orElseThrow().encrypted()).isTrue();
  }

  /** An earlier version, after a downgrade, refuses names that it does not know. */
  @Test
  void theRecordOfAnotherIsAsEarlierVersionsWriteIt() throws Exception {
    HostState state = new HostState(folder);
    StagedVolumes staged = new StagedVolumes(state);
    staged.write(StagedVolume.planned("plain", "/staging", ACCESS, false));
    assertThat(state.read("plain").orElseThrow()).doesNotContain("encrypted");
    assertThat(staged.find("plain").orElseThrow().encrypted()).isFalse();
  }
}
