package dev.holdfast.frontend.nvmeof;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.frontend.ExportState;
import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.testkit.MemoryExportState;
import dev.holdfast.frontend.testkit.ScriptedConnection;
import java.net.URI;
import java.util.Map;
import java.util.Optional;

/** A scripted connection of NVMe/TCP, where the target may send events and disconnect hosts. */
final class ScriptedNvmeConnection extends ScriptedConnection {
  private final ExportState state;

  ScriptedNvmeConnection(String export, BlockDevice device, ExportState state) {
    super(export, device);
    this.state = state;
  }

  /**
   * The streams use controller number 1, the first one; a new export begins with an arbitrary
   * number.
   */
  static ExportState newState() {
    return new MemoryExportState(Map.of("nvme-controller", "0"));
  }

  @Override
  public Optional<URI> endpoint(String name) {
    return find(name).map(found -> URI.create("nvme://127.0.0.1:4420/" + name));
  }

  @Override
  public Optional<ExportState> state() {
    return attached().map(found -> state);
  }

  @Override
  public void established() {
    // The script has no time limit.
  }

  @Override
  public Optional<Reply> message(int capacity) {
    return closed() ? Optional.empty() : Optional.of(reply(capacity));
  }

  @Override
  public void disconnect() {
    close();
  }
}
