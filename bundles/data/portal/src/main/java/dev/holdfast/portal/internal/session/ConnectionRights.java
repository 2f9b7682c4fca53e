package dev.holdfast.portal.internal.session;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ClientSecret;
import dev.holdfast.frontend.ExportCatalogue;
import java.io.IOException;
import java.util.Optional;

/** Exports that the client of one connection may use. Thread-safe. */
public interface ConnectionRights extends ExportCatalogue {

  /** Returns whether the client must prove an identity; an empty name means any export. */
  boolean needsIdentity(String export);

  /** Returns whether the client may use an export now. */
  boolean permits(String export);

  /** Returns whether the client may only read an export. */
  boolean readOnly(String export);

  /** Returns the secret of an initiator; the export is empty in a discovery session. */
  Optional<ClientSecret> secret(ClientSecret.Kind kind, String initiator, String export)
      throws StorageException;

  /** Reports that the client did not prove to be an initiator. */
  void refused(String initiator, String message);

  /** Reports that the client's TLS handshake failed. */
  void refusedTls(IOException failure);
}
