package dev.holdfast.frontend;

import java.net.URI;
import org.osgi.annotation.versioning.ProviderType;

/** An export that hosts can reach. */
@ProviderType
public interface PublishedExport extends AutoCloseable {

  /** Returns where initiators find it, with the advertised address, never null. */
  URI endpoint();

  /**
   * Returns how many connections use it at the moment; one whose client vanished counts until the
   * socket tells.
   */
  int connections();

  /**
   * Withdraws the export: new requests are refused, those in flight end, connections to it are
   * closed; when this returns, nothing of it touches the device any more. Idempotent.
   *
   * <p>The exception is a session whose code does not return: it loses its client, and after some
   * seconds the portal stops waiting for it. The owner of the export has to refuse what it still
   * asks of the device, as a gate does that is shut.
   */
  @Override
  void close();
}
