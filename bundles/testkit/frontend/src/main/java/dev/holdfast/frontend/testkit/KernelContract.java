package dev.holdfast.frontend.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.portal.PortalSettings;
import dev.holdfast.portal.SocketPortal;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A kernel in a VM runs verified I/O on a filesystem of an export, while the frontend is replaced
 * and the volume grows. Connections must not break and requests must not fail.
 *
 * <p>The guest runs {@code src/test/resources/SCENARIO/scenario FOLDER HOST PORT TARGET [WORD…]}.
 * In the folder it creates {@code mounted} after the mount, and counts rounds of verified I/O in
 * {@code rounds}. The file {@code finish} ends it. It then writes the size of the device to {@code
 * sectors} and its identifier to {@code wwid}. It exits with 0 unless a request failed.
 */
@Tag("slow")
@Timeout(600)
public abstract class KernelContract {
  private static final int SIZE = 96 << 20;
  private static final int FIRST_SIZE = 64 << 20;
  private static final int REPLACEMENTS = 20;
  private static final Duration PATIENCE = Duration.ofMinutes(4);

  @TempDir private Path folder;

  private final Guest machine;
  private final String export;
  private final Supplier<FrontendProvider> frontends;
  private final AtomicLong size = new AtomicLong(FIRST_SIZE);
  private Process guest;

  /**
   * The machine that runs the scenario.
   *
   * @param scenario folder of the scenario below the test resources
   * @param options of {@code libexec/vm}: time limit, modules, the kind of machine
   * @param words additional arguments of the scenario
   */
  public record Guest(String scenario, List<String> options, List<String> words) {
    public Guest {
      options = List.copyOf(options);
      words = List.copyOf(words);
    }
  }

  /**
   * Creates the contract.
   *
   * @param export the name of the frontend in endpoints, not null
   * @param frontends creates a new version of the frontend at each call, not null
   * @param machine the guest, not null
   */
  protected KernelContract(String export, Supplier<FrontendProvider> frontends, Guest machine) {
    this.export = export;
    this.frontends = frontends;
    this.machine = machine;
  }

  /**
   * Returns the kernel's address of an endpoint's volume: the argument TARGET of the scenario.
   *
   * @param endpoint of the export, not null
   */
  protected abstract String target(URI endpoint);

  /**
   * Checks properties of this protocol only.
   *
   * @param endpoint of the export, not null
   * @throws IOException when a file of the guest is missing
   */
  protected abstract void judgeProtocol(URI endpoint) throws IOException;

  @Test
  void filesystemSeesNothingOfReplacementsAndSeesTheNewSize() throws Exception {
    FrontendProvider first = frontends.get();
    try (SocketPortal portal = portal(first)) {
      portal.arrived(first);
      URI endpoint = portal.publish(export, "judged", device()).endpoint();
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
    assertThat(read("sectors").strip()).isEqualTo(String.valueOf(SIZE / 512));
    judgeProtocol(endpoint);
  }

  /** Replaces the frontend, alternately side by side and in place. */
  private FrontendProvider replaced(SocketPortal portal, FrontendProvider current, int number) {
    FrontendProvider next = frontends.get();
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
    Path scenario = Path.of("src/test/resources", machine.scenario(), "scenario").toAbsolutePath();
    List<String> command = new ArrayList<>();
    command.add(Path.of("../../libexec/vm").toAbsolutePath().normalize().toString());
    command.addAll(machine.options());
    command.addAll(List.of("-s", folder.toString(), "--", scenario.toString()));
    command.addAll(
        List.of(
            folder.toString(), "10.0.2.2", String.valueOf(endpoint.getPort()), target(endpoint)));
    command.addAll(machine.words());
    Process started =
        new ProcessBuilder(command)
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

  /** Decides by one read, because the guest empties a file before it writes it. */
  private void await(String what, Callable<Boolean> there) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    boolean seen = there.call();
    while (!seen && guest.isAlive() && System.nanoTime() < deadline) {
      guest.waitFor(50, TimeUnit.MILLISECONDS);
      seen = there.call();
    }
    assertThat(seen).as("%s: %s", what, said()).isTrue();
  }

  /**
   * Reads a file of the guest.
   *
   * @param name of the file, not null
   * @throws IOException when it is absent
   */
  protected final String read(String name) throws IOException {
    return Files.readString(folder.resolve(name));
  }

  private String said() throws IOException {
    return read("vm.log");
  }
}
