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
   * @param endpoint as published, not null
   * @throws IOException when the export is refused or the connection ends during the handshake
   */
  FrontendClient connect(URI endpoint) throws IOException;

  /** Returns what offsets and lengths are multiples of, at most 512; 1 when any byte will do. */
  default int blockSize() {
    return 1;
  }

  /**
   * Returns whether replies come in the order of the requests, because the protocol has no tags by
   * which a client could assign them.
   */
  default boolean repliesInOrder() {
    return false;
  }

  /** Returns how many connections one client makes, each with a session of its own. */
  default int connections() {
    return 1;
  }

  /**
   * Returns the status that a client receives when the device fails a request with this code, for
   * example {@code ENOSPC}; compared with {@link RequestFailedException#status()}.
   *
   * @param code the device's, not null
   */
  String statusOf(ErrorCode code);

  /**
   * Returns whether a connection of a client can wait for what comes by another of it: then nothing
   * is held back for longer than a replacement takes to begin.
   */
  default boolean connectionsAwaitEachOther() {
    return false;
  }
}
