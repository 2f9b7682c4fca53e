package dev.holdfast.engine.lvm.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.lvm.blobs.links.PoolAddress;
import dev.holdfast.lvm.testkit.SharedGroupLab;
import java.nio.file.Path;
import java.util.List;

/** A process that exports a device of a virtual machine. */
final class GuestExporter {
  private static final int PORT = 10_900;

  private final GuestProgram program;
  private final PoolAddress address;

  /** Starts the process with the folder of the node's certificate, and waits until it exports. */
  GuestExporter(SharedGroupLab lab, int node, Path tls, String device, String name, long generation)
      throws Exception {
    address = new PoolAddress("node-" + node, lab.address(node), PORT, generation);
    program =
        new GuestProgram(
            lab.node(node),
            ExporterInGuest.class,
            List.of(
                address.host(),
                Integer.toString(PORT),
                device,
                name,
                Long.toString(generation),
                address.node(),
                tls.toString()));
    assertThat(program.line()).isEqualTo("exported");
  }

  PoolAddress address() {
    return address;
  }

  /** Kills the process and waits for its end. */
  void kill() throws Exception {
    assertThat(program.kill()).isEqualTo(128 + 9);
  }

  /** Withdraws the export and ends the process cleanly. */
  void stop() throws Exception {
    assertThat(program.ask("withdraw")).isEqualTo("withdrawn");
    assertThat(program.end()).isZero();
  }
}
