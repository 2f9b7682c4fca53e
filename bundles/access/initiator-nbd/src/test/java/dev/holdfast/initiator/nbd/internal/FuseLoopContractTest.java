package dev.holdfast.initiator.nbd.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.initiator.BlockDevices;
import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.Initiator;
import dev.holdfast.initiator.testkit.InitiatorContract;
import dev.holdfast.initiator.testkit.InitiatorFixture;
import java.io.RandomAccessFile;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
final class FuseLoopContractTest extends InitiatorContract {
  private static final long BYTES = 64 << 20;

  @TempDir Path served;

  @Override
  protected InitiatorFixture fixture() throws Exception {
    Path image = served.resolve("image");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(BYTES);
    }
    return new Fixture(new NbdServer(image));
  }

  private static final class Fixture implements InitiatorFixture {
    private final NbdServer server;
    private Path records;

    Fixture(NbdServer server) {
      this.server = server;
    }

    @Override
    public Initiator initiator(HostState state) {
      records = state.directory();
      return new DaemonInitiator(new FuseLoopDevice(), state);
    }

    @Override
    public URI endpoint() {
      return server.endpoint();
    }

    @Override
    public long bytes() {
      return BYTES;
    }

    @Override
    public URI silent() {
      return URI.create("nbd://127.0.0.1:1/demo");
    }

    @Override
    public void assertNothingIsLeft() throws Exception {
      Path run = records.resolve("run/contract");
      assertThat(run).doesNotExist();
      assertThat(Daemons.find("nbdfuse", run)).isEmpty();
      assertThat(Daemons.find("qemu-nbd", run)).isEmpty();
      for (String loop : BlockDevices.named("loop")) {
        assertThat(BlockDevices.attribute(loop, "loop/backing_file").orElse(""))
            .doesNotStartWith(records.toString());
      }
    }

    @Override
    public void close() throws Exception {
      server.kill();
    }
  }
}
