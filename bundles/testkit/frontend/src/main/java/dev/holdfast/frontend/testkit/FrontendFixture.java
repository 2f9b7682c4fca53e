package dev.holdfast.frontend.testkit;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.frontend.FrontendProvider;
import java.io.IOException;
import java.net.URI;

/** The frontend under test and its client. */
public interface FrontendFixture {

  /** Returns a new instance of the frontend, never null. */
  FrontendProvider frontend();

  /**
   * Connects a client to an export.
   *
   * @param endpoint endpoint of the export, not null
   * @throws IOException when the export is rejected or the connection ends during the handshake
   */
  FrontendClient connect(URI endpoint) throws IOException;

  /** Returns the unit of offsets and lengths, at most 512; 1 for single bytes. */
  default int blockSize() {
    return 1;
  }

  /**
   * Returns whether replies come in the order of the requests, because the protocol lacks tags to
   * match them.
   */
  default boolean repliesInOrder() {
    return false;
  }

  /** Returns the number of connections of one client, each with its own session. */
  default int connections() {
    return 1;
  }

  /**
   * Returns the status that a client receives when the device fails a request with this code, for
   * example {@code ENOSPC}; compared with {@link RequestFailedException#status()}.
   *
   * @param code code of the device, not null
   */
  String statusOf(ErrorCode code);

  /**
   * Returns whether a connection of a client may wait for data of another one. Requests are then
   * held back at most until a replacement begins.
   */
  default boolean connectionsAwaitEachOther() {
    return false;
  }
}
