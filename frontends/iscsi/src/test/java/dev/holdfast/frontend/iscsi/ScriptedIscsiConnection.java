package dev.holdfast.frontend.iscsi;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.frontend.ExportState;
import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.testkit.MemoryExportState;
import dev.holdfast.frontend.testkit.ScriptedConnection;
import java.net.URI;
import java.util.Map;
import java.util.Optional;

/** A scripted iSCSI connection, whose sessions share state and whose target may send NOPs. */
final class ScriptedIscsiConnection extends ScriptedConnection {
  private final MemoryExportState state = new MemoryExportState(Map.of());

  ScriptedIscsiConnection(BlockDevice device) {
    super("fuzzed", device);
  }

  @Override
  public Optional<URI> endpoint(String name) {
    return Optional.of(URI.create("iscsi://127.0.0.1:3260/" + name));
  }

  @Override
  public Optional<ExportState> state() {
    return attached().map(found -> state);
  }

  @Override
  public boolean share(String name, Optional<String> expected, String text) {
    return state.replace(name, expected, Optional.of(text), false);
  }

  @Override
  public void established() {
    // The script has no time limit.
  }

  @Override
  public Optional<Reply> message(int capacity) {
    return Optional.of(reply(capacity));
  }

  @Override
  public void disconnect() {
    close();
  }
}
