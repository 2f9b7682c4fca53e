package dev.holdfast.posix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files reject discards; the devices that accept them are tested in the LVM engine's virtual
 * machine.
 */
class BlockDiscardTest {
  @TempDir private Path folder;

  @Test
  void fileCannotDiscardAndKeepsItsContent() throws Exception {
    Path file = Files.write(folder.resolve("file"), new byte[] {1, 2, 3});
    try (BlockDiscard discard = BlockDiscard.open(file)) {
      assertThat(discard.discard(0, 512)).isFalse();
    }
    assertThat(file).hasBinaryContent(new byte[] {1, 2, 3});
  }

  @Test
  void absentDeviceIsNamed() {
    Path absent = folder.resolve("absent");
    assertThatThrownBy(() -> BlockDiscard.open(absent))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(absent.toString());
  }
}
