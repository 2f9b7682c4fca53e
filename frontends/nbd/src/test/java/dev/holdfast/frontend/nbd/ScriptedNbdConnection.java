package dev.holdfast.frontend.nbd;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.frontend.TlsPolicy;
import dev.holdfast.frontend.testkit.ScriptedConnection;
import java.util.Optional;

/** A scripted NBD connection that can start TLS once. */
final class ScriptedNbdConnection extends ScriptedConnection {
  private final TlsPolicy tls;
  private boolean secured;

  ScriptedNbdConnection(String export, BlockDevice device, TlsPolicy tls) {
    super(export, device);
    this.tls = tls;
  }

  @Override
  public TlsPolicy tls() {
    return tls;
  }

  @Override
  public boolean secured() {
    return secured;
  }

  @Override
  public void startTls() {
    check(!secured && tls != TlsPolicy.OFF, "TLS cannot be started");
    secured = true;
  }

  @Override
  public boolean share(String name, Optional<String> expected, String text) {
    return false;
  }
}
