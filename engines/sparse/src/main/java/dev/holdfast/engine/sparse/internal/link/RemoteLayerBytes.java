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
 * The bytes of a layer of a replica on another node: over a connection of their own, if the other
 * node offers one. A failure does not decide about the replica: the same request is repeated by
 * calls, which handle a lost link. A write that has no answer may still hang in the disk, and have
 * its effect when the layer holds something newer; so it is made again only in the replica's next
 * session, which begins after it has ended.
 */
final class RemoteLayerBytes implements LayerBytes {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteLayerBytes.class);

  /** Action on received bytes. */
  @FunctionalInterface
  private interface Move {
    void with(LayerBytes bytes, ByteBuffer buffer) throws StorageException;
  }

  /**
   * A connection.
   *
   * @param release ends the session that it belongs to, because of this; what is called from then
   *     on waits for the next one
   */
  record Connected(LayerBytes bytes, Consumer<StorageException> release) {}

  /** Connects to what the other node offers, if it does. */
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
   * @param what names the layer and its replica, for messages
   * @param called the same bytes by calls
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
        LOG.debug("{} continues by calls: {}", what, e.getMessage());
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
