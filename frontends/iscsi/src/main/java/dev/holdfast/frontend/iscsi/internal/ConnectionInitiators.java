package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ClientIdentity;
import dev.holdfast.frontend.ClientSecret;
import dev.holdfast.frontend.ConnectionExport;
import dev.holdfast.frontend.iscsi.internal.login.ChapSecrets;
import dev.holdfast.frontend.iscsi.internal.login.Credentials;
import dev.holdfast.frontend.iscsi.internal.login.Initiators;
import dev.holdfast.frontend.iscsi.internal.login.LoginException;
import java.util.Optional;

/**
 * Authenticates the initiator of a connection. Its secret is that of a client of the cluster, or
 * that of a line in the frontend's own file, which grants access to all targets.
 */
final class ConnectionInitiators implements Initiators {
  private static final String OWN_USER = "holdfast";

  private final ConnectionExport export;
  private final ChapSecrets file;
  private ClientIdentity.Type source = ClientIdentity.Type.CONFIGURED;

  ConnectionInitiators(ConnectionExport export, ChapSecrets file) {
    this.export = export;
    this.file = file;
  }

  @Override
  public boolean required(String target) {
    return file.present() || export.needsIdentity(TargetNames.export(target).orElse(""));
  }

  @Override
  public Credentials of(String initiator, String target) throws LoginException {
    String wanted = TargetNames.export(target).orElse("");
    Optional<ClientSecret> secret;
    try {
      secret = export.secret(ClientSecret.Kind.CHAP, initiator, wanted);
    } catch (StorageException e) {
      throw new LoginException(LoginException.TARGET_ERROR, e.getMessage());
    }
    if (secret.isPresent()) {
      source = ClientIdentity.Type.INITIATOR;
      return new Credentials(
          secret.get().user(),
          secret.get().secret(),
          secret.get().own().map(own -> new Credentials.Own(OWN_USER, own)));
    }
    source = ClientIdentity.Type.CONFIGURED;
    return file.of(initiator);
  }

  @Override
  public void authenticated(String initiator) {
    export.identify(new ClientIdentity(source, initiator));
  }

  @Override
  public void refused(String initiator, String message) {
    export.refused(initiator, message);
  }
}
