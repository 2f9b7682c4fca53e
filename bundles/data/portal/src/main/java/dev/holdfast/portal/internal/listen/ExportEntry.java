package dev.holdfast.portal.internal.listen;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.AccessState;
import dev.holdfast.frontend.PublishedExport;
import dev.holdfast.portal.internal.session.AttachedExport;
import dev.holdfast.portal.internal.session.ClientConnection;
import dev.holdfast.portal.internal.session.SharedState;
import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** An export and the connections that use it. */
final class ExportEntry implements PublishedExport {
  private final FrontendListener listener;
  private final String name;
  private final BlockDevice device;
  private final URI endpoint;
  private final SharedState state;
  private final Set<ClientConnection> connections = new HashSet<>();
  private boolean withdrawn;

  ExportEntry(
      FrontendListener listener, String name, BlockDevice device, URI endpoint, SharedState state) {
    this.listener = listener;
    this.name = name;
    this.device = device;
    this.endpoint = endpoint;
    this.state = state;
  }

  AttachedExport attached() {
    return new AttachedExport(device, state);
  }

  BlockDevice device() {
    return device;
  }

  /** Attaches a connection. Returns false when the export is withdrawn. */
  synchronized boolean attach(ClientConnection connection) {
    if (!withdrawn) {
      connections.add(connection);
    }
    return !withdrawn;
  }

  synchronized void detach(ClientConnection connection) {
    connections.remove(connection);
  }

  @Override
  public URI endpoint() {
    return endpoint;
  }

  @Override
  public void access(AccessState access) throws StorageException {
    if (state.access(access).isEmpty()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED, "export " + name + " was published without a path");
    }
  }

  @Override
  public synchronized int connections() {
    return connections.size();
  }

  @Override
  public void close() {
    List<ClientConnection> remaining;
    synchronized (this) {
      withdrawn = true;
      remaining = List.copyOf(connections);
    }
    listener.withdraw(name, this);
    listener.endAll(remaining);
  }
}
