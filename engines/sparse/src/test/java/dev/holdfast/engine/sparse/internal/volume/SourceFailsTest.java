package dev.holdfast.engine.sparse.internal.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.sparse.internal.OneNode;
import dev.holdfast.engine.sparse.internal.disk.FileFaults;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A full replica is the source to which others are made equal, and fails during that. */
@Timeout(60)
class SourceFailsTest {
  private static final int LENGTH = 4096;

  @TempDir private Path disks;
  private volatile boolean full;
  private final AtomicInteger reads = new AtomicInteger();

  // The region can be read once.
  private void touch(Path directory, boolean write, long position, int length) throws IOException {
    if (full && directory.startsWith(disks.resolve("d1"))) {
      if (write) {
        throw new IOException("No space left on device");
      }
      if (reads.incrementAndGet() > 1) {
        throw new IOException("Input/output error");
      }
    }
  }

  @Test
  void sourceThatFailsIsDroppedAndNotTheTarget() throws Exception {
    try (OneNode node =
            new OneNode(
                disks, 2, (path, directory) -> FileFaults.around(path, directory, this::touch));
        OpenVolume volume = node.open()) {
      DeviceIo io = new DeviceIo(volume.device());
      io.write(0, OneNode.filled(LENGTH, 1));
      full = true;
      StorageException why =
          catchThrowableOfType(
              StorageException.class, () -> io.write(0, OneNode.filled(LENGTH, 2)));
      assertThat(why.code()).isEqualTo(ErrorCode.NO_SPACE);
      io.write(LENGTH, OneNode.filled(LENGTH, 3));
      assertThat(io.read(LENGTH, LENGTH)).isEqualTo(OneNode.filled(LENGTH, 3));
      assertThat(volume.replicas())
          .containsEntry("r-1", MemberMode.ERR)
          .containsEntry("r-2", MemberMode.RW);
    }
  }
}
