package dev.holdfast.initiator.kernel.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.nio.file.ExtendedOpenOption;
import dev.holdfast.initiator.BlockDevices;
import dev.holdfast.initiator.HostProgram;
import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.InitiatorPath;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs inside the virtual machine: two paths to a volume whose access moves under I/O. */
final class NvmePathsInGuest {
  static final String PATHS = "PATHS";

  private static final int ALIGNMENT = 4096;
  private static final int BLOCKS = MovingPaths.BYTES / MovingPaths.BLOCK - 1;

  private final List<URI> endpoints =
      List.of(System.getenv(PATHS).split(" ", -1)).stream().map(URI::create).toList();
  private final NvmeControllers controllers = new NvmeControllers();

  @TempDir Path folder;

  @Test
  void accessMovesAndPathsComeAndGoUnderVerifiedWrites() throws Exception {
    NvmeInitiator initiator = new NvmeInitiator(controllers, new HostState(folder));
    String device = initiator.connect("paths", endpoints.subList(0, 1)).device();
    assertThat(initiator.paths("paths")).hasSize(1);
    try (FileChannel channel =
        FileChannel.open(
            Path.of(device),
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            ExtendedOpenOption.DIRECT)) {
      write(channel, 0, 1);
      assertThat(initiator.connect("paths", endpoints).device()).isEqualTo(device);
      assertThat(initiator.paths("paths")).hasSize(2).allMatch(path -> !path.access().isEmpty());
      int writes = writeUntilTheEnd(channel);
      assertThat(writes).isGreaterThan(BLOCKS / 100);
      URI serving = serving(initiator);
      assertThat(initiator.connect("paths", List.of(serving)).device()).isEqualTo(device);
      assertThat(initiator.paths("paths")).hasSize(1);
      assertThat(initiator.find("paths").orElseThrow().endpoint()).isEqualTo(serving);
      write(channel, 1, writes);
      assertThat(read(channel, 1)).isEqualTo(content(1, writes));
    }
    initiator.disconnect("paths");
    assertThat(controllers.isOpen(controllers.target(endpoints.get(0)))).isFalse();
    assertThat(kernelErrors()).isEmpty();
  }

  private URI serving(NvmeInitiator initiator) throws Exception {
    String address =
        initiator.paths("paths").stream()
            .filter(path -> path.access().equals("optimized"))
            .map(InitiatorPath::address)
            .findFirst()
            .orElseThrow();
    return endpoints.stream().filter(uri -> uri.getAuthority().equals(address)).findFirst().get();
  }

  /** Writes, reads and compares blocks until the machine outside has moved the paths enough. */
  private static int writeUntilTheEnd(FileChannel channel) throws Exception {
    int round = 1;
    while (read(channel, BLOCKS)[0] != MovingPaths.END) {
      int block = round % BLOCKS;
      write(channel, block, round);
      assertThat(read(channel, block)).isEqualTo(content(block, round));
      round++;
    }
    return round;
  }

  private static byte[] content(int block, int round) {
    ByteBuffer content = ByteBuffer.allocate(MovingPaths.BLOCK);
    while (content.hasRemaining()) {
      content.putInt(block).putInt(round);
    }
    return content.array();
  }

  private static ByteBuffer aligned() {
    return ByteBuffer.allocateDirect(MovingPaths.BLOCK + ALIGNMENT)
        .alignedSlice(ALIGNMENT)
        .limit(MovingPaths.BLOCK);
  }

  private static void write(FileChannel channel, int block, int round) throws Exception {
    ByteBuffer data = aligned().put(content(block, round)).flip();
    assertThat(channel.write(data, (long) block * MovingPaths.BLOCK)).isEqualTo(MovingPaths.BLOCK);
  }

  private static byte[] read(FileChannel channel, int block) throws Exception {
    ByteBuffer data = aligned();
    assertThat(channel.read(data, (long) block * MovingPaths.BLOCK)).isEqualTo(MovingPaths.BLOCK);
    byte[] content = new byte[MovingPaths.BLOCK];
    data.flip().get(content);
    return content;
  }

  private static List<String> kernelErrors() throws Exception {
    String log = HostProgram.check(Duration.ofMinutes(1), List.of("dmesg"));
    assertThat(BlockDevices.attribute(Path.of("/sys/module/nvme_core/parameters/multipath")))
        .contains("Y");
    return log.lines().filter(line -> line.contains("I/O error")).toList();
  }
}
