package dev.holdfast.engine.sparse.internal.wire;

import java.nio.ByteBuffer;

/** A socket whose peer sends the bytes of a test, in pieces, and accepts all output. */
final class ScriptedSocket implements DataSocket {
  private final ByteBuffer said;
  private final int piece;

  ScriptedSocket(byte[] said, int piece) {
    this.said = ByteBuffer.wrap(said);
    this.piece = piece;
  }

  @Override
  public int read(ByteBuffer target) {
    if (!said.hasRemaining()) {
      return -1;
    }
    int count = Math.min(piece, Math.min(said.remaining(), target.remaining()));
    target.put(said.slice(said.position(), count));
    said.position(said.position() + count);
    return count;
  }

  @Override
  public boolean write(ByteBuffer[] sources, int first, int end) {
    for (int i = first; i < end; i++) {
      sources[i].position(sources[i].limit());
    }
    return true;
  }

  @Override
  public boolean readsAhead() {
    return false;
  }

  @Override
  public boolean hasUnsent() {
    return false;
  }

  @Override
  public void close() {
    said.position(said.limit());
  }
}
