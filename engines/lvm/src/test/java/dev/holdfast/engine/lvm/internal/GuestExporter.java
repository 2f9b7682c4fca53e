package dev.holdfast.engine.lvm.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.lvm.blobs.PoolAddress;
import dev.holdfast.host.HostProcess;
import dev.holdfast.lvm.testkit.SharedGroupLab;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A process that exports a device of a virtual machine. */
final class GuestExporter {
  private static final int PORT = 10_900;

  private final HostProcess process;
  private final BufferedReader output;
  private final PoolAddress address;

  /** Starts it and waits until it exports. */
  GuestExporter(SharedGroupLab lab, int node, String device, String name, long generation)
      throws Exception {
    address = new PoolAddress("node-" + node, lab.address(node), PORT, generation);
    process =
        lab.node(node)
            .start(
                List.of(
                    ProcessHandle.current().info().command().orElseThrow(),
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-Xmx96m",
                    "-cp",
                    System.getProperty("java.class.path"),
                    ExporterInGuest.class.getName(),
                    address.host(),
                    Integer.toString(PORT),
                    device,
                    name,
                    Long.toString(generation)));
    output = new BufferedReader(new InputStreamReader(process.output(), StandardCharsets.UTF_8));
    assertThat(output.readLine()).isEqualTo("exported");
  }

  PoolAddress address() {
    return address;
  }

  /** Kills it and waits for its end. */
  void kill() throws Exception {
    process.kill();
    assertThat(process.exit().get()).isEqualTo(128 + 9);
  }

  /** Withdraws the export and ends it in order. */
  void stop() throws Exception {
    process.input().write('\n');
    process.input().flush();
    assertThat(output.readLine()).isEqualTo("withdrawn");
    process.input().close();
    assertThat(process.exit().get()).isZero();
  }
}
