package dev.holdfast.frontend;

import dev.holdfast.block.BlockDevice;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * The export side of a client's connection: which volumes the client may choose from, and which one
 * the connection is tied to. The rules of {@link FrontendConnection} for threads and for the end of
 * the session apply.
 *
 * @since 2.0
 */
@ProviderType
public interface ConnectionExport {

  /** Returns the exports of this connection's frontend, never null. */
  ExportCatalogue exports();

  /**
   * Ties this connection to an export: withdrawing the export ends the connection. Also ends the
   * handshake, which lifts its time limit. A connection is tied to at most one export.
   *
   * @param export name, not null
   * @return its device, or empty when there is no such export (any more)
   */
  Optional<BlockDevice> attach(String export);

  /**
   * Returns the device of the export that this connection is tied to, or empty when it is tied to
   * none. A session that resumes finds its device by this method.
   */
  Optional<BlockDevice> attached();

  /**
   * Returns the state that all connections of this connection's export share, or empty when the
   * connection is tied to none. The object may be used by any thread.
   */
  Optional<ExportState> state();

  /**
   * Replaces a text of the export's {@link #state}. The portal removes the new text when this
   * connection ends, unless it was replaced before; the text stays while sessions of the connection
   * follow each other.
   *
   * @param name of the text, not null
   * @param expected the text that the caller has seen, not null
   * @param text not null
   * @return false when the text is not the expected one, or the connection is tied to no export
   */
  boolean share(String name, Optional<String> expected, String text);
}
