package dev.holdfast.frontend.nvmeof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.nvmeof.internal.NvmeofFrontend;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import dev.holdfast.portal.PortalSettings;
import dev.holdfast.portal.SocketPortal;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the kernel's own NVMe/TCP host. It discovers, connects with digests and two I/O queues, and
 * has a filesystem under verified I/O while the frontend is replaced and the volume grows. No
 * connection breaks and no request fails.
 */
@Tag("slow")
@Timeout(600)
final class NvmeKernelTest {
  private static final int SIZE = 96 << 20;
  private static final int FIRST_SIZE = 64 << 20;
  private static final int REPLACEMENTS = 20;
  private static final Duration PATIENCE = Duration.ofMinutes(4);

  @TempDir Path folder;

  private final AtomicLong size = new AtomicLong(FIRST_SIZE);
  private Process guest;

  @Test
  void filesystemSeesNothingOfReplacementsAndSeesTheNewSize() throws Exception {
    FrontendProvider first = new NvmeofFrontend();
    try (SocketPortal portal = portal(first)) {
      portal.arrived(first);
      URI endpoint = portal.publish("nvmeof", "judged", device()).endpoint();
      guest = start(endpoint);
      await("the filesystem is mounted", () -> Files.exists(folder.resolve("mounted")));
      FrontendProvider current = first;
      for (int i = 1; i <= REPLACEMENTS; i++) {
        long served = i % 5 == 0 ? rounds() : -1;
        await("a round between replacements", () -> served < 0 || rounds() > served);
        current = replaced(portal, current, i);
      }
      long before = rounds();
      await("a round after the replacements", () -> rounds() > before + 1);
      size.set(SIZE);
      Files.writeString(folder.resolve("finish.new"), SIZE / 512 + "\n");
      Files.move(folder.resolve("finish.new"), folder.resolve("finish"));
      judge(endpoint);
    } finally {
      if (guest != null) {
        guest.descendants().forEach(ProcessHandle::destroy);
        guest.destroy();
      }
    }
  }

  private void judge(URI endpoint) throws Exception {
    assertThat(guest.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as(said()).isTrue();
    assertThat(guest.exitValue()).as(said()).isZero();
    assertThat(said()).contains("rounds ");
    assertThat(read("discovered"))
        .contains("10.0.2.2", String.valueOf(endpoint.getPort()), endpoint.getPath().substring(1));
    assertThat(read("sectors").strip()).isEqualTo(String.valueOf(SIZE / 512));
    assertThat(read("wwid")).startsWith("uuid.");
    assertThat(read("id-ctrl")).contains("Holdfast");
    assertThat(read("ana-log")).contains("optimized");
  }

  /** Side by side and in place by turns. */
  private static FrontendProvider replaced(
      SocketPortal portal, FrontendProvider current, int number) {
    FrontendProvider next = new NvmeofFrontend();
    if (number % 2 == 0) {
      portal.left(current);
      portal.arrived(next, "1." + number, number);
    } else {
      portal.arrived(next, "1." + number, number);
      portal.left(current);
    }
    return next;
  }

  private BlockDevice device() {
    return new ForwardingBlockDevice(new MemoryBlockDevice(SIZE)) {
      @Override
      public long size() {
        return size.get();
      }
    };
  }

  private static SocketPortal portal(FrontendProvider frontend) throws Exception {
    Map<String, String> properties =
        Map.of(frontend.portProperty(), "0", "holdfast.advertised.address", "10.0.2.2");
    return new SocketPortal(new PortalSettings(name -> Optional.ofNullable(properties.get(name))));
  }

  private Process start(URI endpoint) throws IOException {
    Path scenario = Path.of("src/test/resources/kernel-nvme/scenario").toAbsolutePath();
    Process started =
        new ProcessBuilder(
                Path.of("../../libexec/vm").toAbsolutePath().normalize().toString(),
                "-q",
                "-t",
                "480",
                "-M",
                "nvme-tcp",
                "-s",
                folder.toString(),
                "--",
                scenario.toString(),
                folder.toString(),
                "10.0.2.2",
                String.valueOf(endpoint.getPort()),
                endpoint.getPath().substring(1),
                "2")
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("vm.log").toFile())
            .start();
    started.getOutputStream().close();
    return started;
  }

  private long rounds() throws IOException {
    String text = Files.exists(folder.resolve("rounds")) ? read("rounds").strip() : "";
    return text.isEmpty() ? 0 : Long.parseLong(text);
  }

  private void await(String what, Callable<Boolean> there) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    boolean seen = there.call();
    while (!seen && guest.isAlive() && System.nanoTime() < deadline) {
      guest.waitFor(50, TimeUnit.MILLISECONDS);
      seen = there.call();
    }
    assertThat(seen).as("%s: %s", what, said()).isTrue();
  }

  private String read(String name) throws IOException {
    return Files.readString(folder.resolve(name));
  }

  private String said() throws IOException {
    return read("vm.log");
  }
}
