package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.engine.sparse.internal.replica.LayerBytes;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bytes of a layer of a replica on another node: over a connection of their own, if the other
 * node offers one. When that fails nothing is decided about the replica: the same is asked again by
 * calls, which know what a lost link means.
 */
final class RemoteLayerBytes implements LayerBytes {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteLayerBytes.class);

  /** What is done with the bytes. */
  @FunctionalInterface
  private interface Move {
    void with(LayerBytes bytes, ByteBuffer buffer) throws StorageException;
  }

  /** Connects to what the other node offers, if it does. */
  @FunctionalInterface
  interface Connector {
    Optional<LayerBytes> connect() throws StorageException;
  }

  private final String what;
  private final LayerBytes called;
  private final Connector connector;
  private Optional<LayerBytes> connected = Optional.empty();
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
    move(target, (bytes, buffer) -> bytes.read(offset, buffer));
  }

  @Override
  public void write(long offset, ByteBuffer source) throws StorageException {
    move(source, (bytes, buffer) -> bytes.write(offset, buffer));
  }

  private void move(ByteBuffer buffer, Move move) throws StorageException {
    if (!tried) {
      tried = true;
      connected = connector.connect();
    }
    if (connected.isPresent()) {
      ByteBuffer again = buffer.duplicate();
      try {
        move.with(connected.get(), buffer);
        return;
      } catch (StorageException e) {
        LOG.debug("{} goes on by calls: {}", what, e.getMessage());
        close();
        buffer.limit(again.limit()).position(again.position());
      }
    }
    move.with(called, buffer);
  }

  @Override
  public void close() {
    connected.ifPresent(LayerBytes::close);
    connected = Optional.empty();
  }
}
