package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.engine.sparse.internal.replica.LayerBytes;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accesses the bytes of a layer of a replica on another node over a separate connection, if the
 * node offers one. A failure there does not affect the member: the request is repeated by calls,
 * which handle a lost link. An unanswered write may still hang in the disk and take effect after a
 * newer one. It is therefore repeated only in the replica's next session, which begins after the
 * write has ended.
 */
final class RemoteLayerBytes implements LayerBytes {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteLayerBytes.class);

  /** Action on received bytes. */
  @FunctionalInterface
  private interface Move {
    void with(LayerBytes bytes, ByteBuffer buffer) throws StorageException;
  }

  /**
   * An established connection.
   *
   * @param release ends the session of this connection with the cause; later calls wait for the
   *     next session
   */
  record Connected(LayerBytes bytes, Consumer<StorageException> release) {}

  /** Connects to the bytes that the other node offers; empty when it offers none. */
  @FunctionalInterface
  interface Connector {
    Optional<Connected> connect() throws StorageException;
  }

  private final String what;
  private final LayerBytes called;
  private final Connector connector;
  private Optional<Connected> connected = Optional.empty();
  private boolean tried;

  /**
   * Starts without a connection.
   *
   * @param what name of the layer and its replica for messages
   * @param called access to the same bytes by calls
   */
  RemoteLayerBytes(String what, LayerBytes called, Connector connector) {
    this.what = what;
    this.called = called;
    this.connector = connector;
  }

  @Override
  public void read(long offset, ByteBuffer target) throws StorageException {
    move(target, (bytes, buffer) -> bytes.read(offset, buffer), false);
  }

  @Override
  public void write(long offset, ByteBuffer source) throws StorageException {
    move(source, (bytes, buffer) -> bytes.write(offset, buffer), true);
  }

  private void move(ByteBuffer buffer, Move move, boolean changes) throws StorageException {
    if (!tried) {
      tried = true;
      connected = connector.connect();
    }
    if (connected.isPresent()) {
      ByteBuffer again = buffer.duplicate();
      Connected over = connected.get();
      try {
        move.with(over.bytes(), buffer);
        return;
      } catch (StorageException e) {
        LOG.debug("{}: continuing with calls: {}", what, e.getMessage());
        close();
        if (changes && e.code() == ErrorCode.UNREACHABLE) {
          over.release().accept(e);
        }
        buffer.limit(again.limit()).position(again.position());
      }
    }
    move.with(called, buffer);
  }

  @Override
  public void close() {
    connected.ifPresent(over -> over.bytes().close());
    connected = Optional.empty();
  }
}
