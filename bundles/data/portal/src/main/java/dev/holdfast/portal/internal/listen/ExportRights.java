package dev.holdfast.portal.internal.listen;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ClientDirectory;
import dev.holdfast.frontend.ClientIdentity;
import dev.holdfast.frontend.ClientRefusal;
import dev.holdfast.frontend.ClientRefusal.Reason;
import dev.holdfast.frontend.ClientRights;
import dev.holdfast.frontend.ClientSecret;
import dev.holdfast.frontend.ClientSession;
import dev.holdfast.frontend.ExportCatalogue;
import dev.holdfast.portal.internal.session.ClientConnection;
import dev.holdfast.portal.internal.session.ConnectionRights;
import java.io.IOException;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/**
 * The exports of a listener that one client may use:
 *
 * <pre>
 *   UNIX socket, secret of the frontend's own file ....... all
 *   identity in the directory ............................ those of its rights
 *   no identity, open mode or open to this machine ....... all
 *   no identity otherwise ................................ those that are open to all
 * </pre>
 */
final class ExportRights implements ConnectionRights {
  private final String frontend;
  private final ClientConnection connection;
  private final AuthenticationMode mode;
  private final ExportCatalogue all;
  private final Supplier<Optional<ClientDirectory>> directory;

  ExportRights(
      String frontend,
      ClientConnection connection,
      AuthenticationMode mode,
      ExportCatalogue all,
      Supplier<Optional<ClientDirectory>> directory) {
    this.frontend = frontend;
    this.connection = connection;
    this.mode = mode;
    this.all = all;
    this.directory = directory;
  }

  private boolean anonymousMayAll() {
    return connection.client().local()
        || mode == AuthenticationMode.OPEN
        || (mode == AuthenticationMode.OPEN_LOOPBACK && connection.client().sameHost());
  }

  private boolean mayAll() {
    Optional<ClientIdentity> identity = connection.identity();
    return identity.isEmpty()
        ? anonymousMayAll()
        : switch (identity.get().type()) {
          case CONFIGURED -> true;
          case MEMBER -> anonymousMayAll();
          case CERTIFICATE, INITIATOR -> false;
        };
  }

  private Optional<ClientRights> rights() {
    return connection.identity().flatMap(one -> directory.get().flatMap(d -> d.rights(one)));
  }

  private boolean isOpen(String export) {
    return directory.get().filter(known -> known.isOpen(export)).isPresent();
  }

  @Override
  public boolean permits(String export) {
    return mayAll() || rights().filter(found -> found.shows(export)).isPresent() || isOpen(export);
  }

  @Override
  public boolean needsIdentity(String export) {
    return !anonymousMayAll() && !isOpen(export);
  }

  @Override
  public boolean readOnly(String export) {
    return !mayAll()
        && !isOpen(export)
        && rights().filter(found -> found.readOnly() || !found.shows(export)).isPresent();
  }

  @Override
  public Optional<ClientSecret> secret(ClientSecret.Kind kind, String initiator, String export)
      throws StorageException {
    Optional<ClientDirectory> known = directory.get();
    if (known.isEmpty()) {
      return Optional.empty();
    }
    return export.isEmpty()
        ? known.get().secret(kind, initiator)
        : known.get().secret(kind, initiator, export);
  }

  @Override
  public List<String> names() {
    return all.names().stream().filter(this::permits).toList();
  }

  @Override
  public Optional<BlockDevice> find(String export) {
    return permits(export) ? all.find(export) : Optional.empty();
  }

  @Override
  public Optional<URI> endpoint(String export) {
    return permits(export) ? all.endpoint(export) : Optional.empty();
  }

  @Override
  public Optional<URI> elsewhere(String export) {
    return permits(export) ? all.elsewhere(export) : Optional.empty();
  }

  @Override
  public Map<String, URI> elsewhere() {
    Map<String, URI> found = new TreeMap<>(all.elsewhere());
    found.keySet().removeIf(export -> !permits(export));
    return found;
  }

  @Override
  public void refused(String initiator, String message) {
    report(Reason.SECRET, initiator, "", message);
  }

  /** A handshake that the client ended, or that was interrupted, is not a refusal. */
  @Override
  public void refusedTls(IOException failure) {
    if (failure instanceof SSLException && failure.getCause() != null) {
      String causes =
          Stream.iterate((Throwable) failure, one -> one != null, Throwable::getCause)
              .map(Throwable::getMessage)
              .distinct()
              .collect(Collectors.joining(": "));
      report(Reason.CERTIFICATE, "", "", causes);
    }
  }

  /** Reports that the client may not use an export of this listener. */
  void refusedExport(String export) {
    if (connection.identity().isEmpty()) {
      report(
          Reason.NO_CREDENTIAL,
          "",
          export,
          "export " + export + " needs a credential, and the client showed none");
    } else {
      report(
          Reason.EXPORT, client(), export, "client " + client() + " may not use export " + export);
    }
  }

  /** Reports that the client lost its right while it was connected. */
  void withdrawn(String export) {
    report(
        Reason.WITHDRAWN,
        client(),
        export,
        "client " + client() + " may not use export " + export + " any more: its session ended");
  }

  /** Returns the record of this client's use of an export, which begins now. */
  ClientSession session(String export) {
    String known = connection.client().local() ? ClientSession.LOCAL : client();
    return new ClientSession(
        UUID.randomUUID().toString(), frontend, connection.peer(), known, export, Instant.now());
  }

  private String client() {
    return rights()
        .map(ClientRights::client)
        .or(() -> connection.identity().map(ClientIdentity::name))
        .orElse("");
  }

  private void report(Reason reason, String client, String export, String message) {
    ClientRefusal refusal =
        new ClientRefusal(frontend, connection.peer(), client, export, reason, message);
    directory.get().ifPresent(known -> known.refused(refusal));
  }
}
