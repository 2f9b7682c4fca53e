package dev.holdfast.engine.sparse.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.nbd.Wire;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An {@code Error} on the thread that receives all replies ends one connection, not the thread. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DataLoopErrorTest {
  private final WireBuffers buffers = new WireBuffers();

  private DataConnection connection(
      DataLoop loop, SocketChannel channel, CompletableFuture<StorageException> lost)
      throws Exception {
    DataConnection connection =
        new DataConnection(
            "replica", channel, new PlainDataSocket(channel), loop, buffers, lost::complete);
    connection.start();
    return connection;
  }

  private static void answerFlush(SocketChannel node) throws Exception {
    ByteBuffer request = ByteBuffer.allocate(28);
    while (request.hasRemaining()) {
      node.read(request);
    }
    ByteBuffer reply = ByteBuffer.allocate(16);
    reply.putInt(Wire.SIMPLE_REPLY_MAGIC).putInt(0).putLong(request.getLong(8)).flip();
    while (reply.hasRemaining()) {
      node.write(reply);
    }
  }

  @Test
  void errorInACompletionEndsItsConnectionOnly() throws Exception {
    try (ServerSocketChannel server =
            ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        DataLoop loop = new DataLoop();
        SocketChannel firstEnd = SocketChannel.open(server.getLocalAddress());
        SocketChannel firstNode = server.accept();
        SocketChannel secondEnd = SocketChannel.open(server.getLocalAddress());
        SocketChannel secondNode = server.accept()) {
      CompletableFuture<StorageException> lost = new CompletableFuture<>();
      DataConnection first = connection(loop, firstEnd, lost);
      DataConnection second = connection(loop, secondEnd, new CompletableFuture<>());
      first.sync(
          (failure, done) -> {
            throw new Error("planted");
          });
      first.endOfBatch();
      answerFlush(firstNode);
      assertThat(lost.get(30, TimeUnit.SECONDS).code()).isEqualTo(ErrorCode.INTERNAL);
      CompletableFuture<Long> answered = new CompletableFuture<>();
      second.sync((failure, done) -> answered.complete(done));
      second.endOfBatch();
      answerFlush(secondNode);
      assertThat(answered.get(30, TimeUnit.SECONDS)).isZero();
      first.close();
      second.close();
    }
  }
}
