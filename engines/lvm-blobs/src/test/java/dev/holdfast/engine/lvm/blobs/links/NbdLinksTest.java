package dev.holdfast.engine.lvm.blobs.links;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.lvm.blobs.locks.RecordedPrograms;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Arguments with which the kernel's devices are connected. */
class NbdLinksTest {
  private static final String NAME = "vol";
  private static final PoolAddress OWN = new PoolAddress("node-2", "10.9.0.3", 10810, 7);
  private static final PoolAddress OTHER = new PoolAddress("node-1", "10.9.0.2", 10810, 6);

  private final RecordedPrograms host =
      new RecordedPrograms()
          .prints(" find holdfast-lvm:vol", "0 43:0")
          .prints(" reconnect 0 holdfast-lvm:vol", "0 43:0");

  private final PoolLinks links =
      new NbdLinks(host, (device, name, generation) -> new OwnExport(), this::endpoint);

  /** An export of this process. */
  private static final class OwnExport implements PoolExport {
    @Override
    public PoolAddress address() {
      return OWN;
    }

    @Override
    public void close() {}
  }

  private PoolTransport.Endpoint endpoint(PoolAddress address) {
    return new PoolTransport.Endpoint("/run/" + address.node(), 0);
  }

  private String connected(PoolAddress address) throws StorageException {
    LinkedDevice device = links.connect(address, NAME);
    assertThat(device.device()).isEqualTo(Path.of("/dev/nbd0"));
    List<String> calls = host.calls();
    String last = calls.get(calls.size() - 1);
    return last.substring(last.lastIndexOf("reconnect 0"));
  }

  /** Nothing above a lost connection can be suspended, so a slow disk must not end this one. */
  @Test
  void connectionToAnExportOfThisProcessWaitsLongerForAnswers() throws Exception {
    assertThat(connected(OTHER)).isEqualTo("reconnect 0 holdfast-lvm:vol /run/node-1 0 vol@6 3");
    assertThat(links.export(Path.of("/dev/vg0/vol"), NAME, 7).address()).isEqualTo(OWN);
    assertThat(connected(OWN)).isEqualTo("reconnect 0 holdfast-lvm:vol /run/node-2 0 vol@7 30");
    assertThat(connected(OTHER)).isEqualTo("reconnect 0 holdfast-lvm:vol /run/node-1 0 vol@6 3");
  }
}
