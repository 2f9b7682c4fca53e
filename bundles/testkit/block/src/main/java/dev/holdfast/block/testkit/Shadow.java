package dev.holdfast.block.testkit;

import static org.assertj.core.api.Assertions.assertThat;

/** The rule for the content of trimmed ranges. */
final class Shadow {
  private Shadow() {}

  /**
   * Checks the content of a trimmed range and copies it to the shadow. Whole blocks must be zero; a
   * byte of the edges may be zero or unchanged.
   */
  static void trimmed(byte[] shadow, int offset, byte[] found, int blockSize, String hint) {
    int firstBlock = (offset + blockSize - 1) / blockSize * blockSize;
    int lastBlock = (offset + found.length) / blockSize * blockSize;
    for (int i = 0; i < found.length; i++) {
      int at = offset + i;
      boolean kept = found[i] == shadow[at] && (at < firstBlock || at >= lastBlock);
      if (found[i] != 0 && !kept) {
        assertThat(found[i]).as("byte %d after a trim, %s", at, hint).isZero();
      }
      shadow[at] = found[i];
    }
  }
}
