package dev.holdfast.portal.internal.session;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ClientIdentity;
import dev.holdfast.frontend.ClientSecret;
import dev.holdfast.frontend.ConnectionExport;
import dev.holdfast.frontend.ConnectionTls;
import dev.holdfast.frontend.ExportCatalogue;
import dev.holdfast.frontend.ExportState;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.InputLease;
import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.TlsPolicy;
import java.util.Optional;

/**
 * A connection as one session sees it. It can be revoked: a hanging or replaced session can then
 * neither reach the client nor hold a shared resource.
 */
public final class SessionConnection
    implements FrontendConnection, ConnectionExport, ConnectionTls {
  private enum State {
    RESUMING,
    ACTIVE,
    REVOKED
  }

  private final ClientConnection connection;
  private volatile State state;

  private SessionConnection(ClientConnection connection, State state) {
    this.connection = connection;
    this.state = state;
  }

  /** Returns a connection that its session may use immediately. */
  static SessionConnection active(ClientConnection connection) {
    return new SessionConnection(connection, State.ACTIVE);
  }

  /** Returns a connection that is read-only until {@link #activate}. */
  public static SessionConnection resuming(ClientConnection connection) {
    return new SessionConnection(connection, State.RESUMING);
  }

  void activate() {
    state = State.ACTIVE;
  }

  public void revoke() {
    state = State.REVOKED;
  }

  private ClientConnection shown() {
    if (state == State.REVOKED) {
      throw new IllegalStateException("this session has lost the connection");
    }
    return connection;
  }

  private ClientConnection usable() {
    if (state != State.ACTIVE) {
      throw new IllegalStateException("this session does not have the connection");
    }
    return connection;
  }

  @Override
  public String peer() {
    return shown().peer();
  }

  @Override
  public ConnectionExport export() {
    return this;
  }

  @Override
  public ConnectionTls security() {
    return this;
  }

  @Override
  public ExportCatalogue exports() {
    return shown().rights();
  }

  @Override
  public boolean needsIdentity(String export) {
    return shown().rights().needsIdentity(export);
  }

  @Override
  public boolean identified() {
    return shown().identity().isPresent();
  }

  @Override
  public Optional<ClientSecret> secret(ClientSecret.Kind kind, String initiator, String export)
      throws StorageException {
    return shown().rights().secret(kind, initiator, export);
  }

  @Override
  public void identify(ClientIdentity identity) {
    usable().identify(identity);
  }

  @Override
  public void refused(String initiator, String message) {
    shown().rights().refused(initiator, message);
  }

  @Override
  public boolean readOnly(String export) {
    return shown().rights().readOnly(export);
  }

  @Override
  public Optional<BlockDevice> attached() {
    return shown().attached();
  }

  @Override
  public Optional<ExportState> state() {
    return shown().state();
  }

  @Override
  public boolean share(String name, Optional<String> expected, String text) {
    return usable().share(name, expected, text);
  }

  @Override
  public TlsPolicy tls() {
    return shown().tls();
  }

  @Override
  public boolean secured() {
    return shown().secured();
  }

  @Override
  public Optional<String> provenIdentity() {
    return shown().provenIdentity();
  }

  @Override
  public Optional<BlockDevice> attach(String export) {
    return usable().attach(export);
  }

  @Override
  public Reply reply(int capacity) {
    return usable().reply(capacity);
  }

  @Override
  public InputLease retainInput() {
    return usable().retainInput();
  }

  @Override
  public void startTls() {
    usable().startTls();
  }

  @Override
  public void established() {
    usable().established();
  }

  @Override
  public Optional<Reply> message(int capacity) {
    return state == State.ACTIVE ? connection.message(capacity) : Optional.empty();
  }

  @Override
  public void disconnect() {
    if (state == State.ACTIVE) {
      connection.end();
    }
  }

  @Override
  public void close() {
    usable().close();
  }
}
