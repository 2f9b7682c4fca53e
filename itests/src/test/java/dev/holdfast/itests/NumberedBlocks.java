package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;

/** Blocks that contain their volume, their number and their round of writing. */
final class NumberedBlocks {
  static final int BYTES = 4096;

  private final String volume;

  NumberedBlocks(String volume) {
    this.volume = volume;
  }

  byte[] content(int block, int round) {
    ByteBuffer buffer = ByteBuffer.allocate(BYTES);
    buffer.putInt(volume.hashCode()).putInt(block).putInt(round);
    while (buffer.hasRemaining()) {
      buffer.put((byte) (round * 31 + block + 1));
    }
    return buffer.array();
  }

  /** Writes a round to the first blocks, durably. */
  void write(URI endpoint, int round, int blocks) throws IOException {
    try (NbdConnection connection = new NbdConnection(endpoint)) {
      for (int block = 0; block < blocks; block++) {
        assertThat(connection.write((long) block * BYTES, content(block, round)))
            .as("%s block %d", volume, block)
            .isZero();
      }
      connection.sendFlush(1);
      assertThat(connection.receive().error()).isZero();
    }
  }

  /** Fails unless the first blocks hold a round. */
  void verify(URI endpoint, int round, int blocks) throws IOException {
    try (NbdConnection connection = new NbdConnection(endpoint)) {
      for (int block = 0; block < blocks; block++) {
        ByteBuffer found = ByteBuffer.wrap(connection.read((long) block * BYTES, BYTES));
        assertThat(found.array())
            .as("%s block %d (it says round %d)", volume, block, found.getInt(8))
            .isEqualTo(content(block, round));
      }
    }
  }
}
