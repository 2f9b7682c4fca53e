package dev.holdfast.frontend.testkit;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A client of the toy protocol; a thread of its own takes the replies. */
final class ToyClient implements FrontendClient {
  private static final byte[] NOTHING = {};

  private final Socket socket;
  private final DataInputStream in;
  private final AtomicInteger tags = new AtomicInteger();
  private final Map<Integer, CompletableFuture<byte[]>> waiting = new ConcurrentHashMap<>();
  private volatile IOException lost;

  ToyClient(URI endpoint) throws IOException {
    socket = new Socket(endpoint.getHost(), endpoint.getPort());
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    byte[] export = endpoint.getPath().substring(1).getBytes(StandardCharsets.UTF_8);
    try {
      send(ToySession.ATTACH, 0, 0, export.length, export);
      int tag = in.readInt();
      int status = in.readUnsignedByte();
      byte[] reason = in.readNBytes(in.readInt());
      if (tag != 0 || status != 0 || reason.length != 0) {
        throw new IOException("the export was refused");
      }
    } catch (IOException e) {
      socket.close();
      throw e;
    }
    Thread replies = new Thread(this::takeReplies, "toy-replies");
    replies.setDaemon(true);
    replies.start();
  }

  private synchronized void send(byte kind, int tag, long offset, int length, byte[] data)
      throws IOException {
    ByteBuffer message = ByteBuffer.allocate(ToySession.HEADER + data.length);
    message.put(kind).putInt(tag).putLong(offset).putInt(length).put(data);
    socket.getOutputStream().write(message.array());
  }

  private void takeReplies() {
    try {
      while (true) {
        CompletableFuture<byte[]> reply = waiting.remove(in.readInt());
        int status = in.readUnsignedByte();
        byte[] data = in.readNBytes(in.readInt());
        if (status == 0) {
          reply.complete(data);
        } else {
          String code = new String(data, StandardCharsets.US_ASCII);
          reply.completeExceptionally(new RequestFailedException(code));
        }
      }
    } catch (IOException e) {
      lost = e;
      waiting.values().forEach(reply -> reply.completeExceptionally(e));
    }
  }

  private CompletableFuture<byte[]> request(byte kind, long offset, int length, byte[] data) {
    int tag = tags.incrementAndGet();
    CompletableFuture<byte[]> reply = new CompletableFuture<>();
    waiting.put(tag, reply);
    try {
      send(kind, tag, offset, length, data);
    } catch (IOException e) {
      reply.completeExceptionally(e);
    }
    if (lost != null) {
      reply.completeExceptionally(lost);
    }
    return reply;
  }

  @Override
  public CompletableFuture<byte[]> read(long offset, int length) {
    return request(ToySession.READ, offset, length, NOTHING);
  }

  @Override
  public CompletableFuture<Void> write(long offset, byte[] data, boolean durable) {
    byte kind = durable ? ToySession.DURABLE_WRITE : ToySession.WRITE;
    return request(kind, offset, data.length, data).thenAccept(nothing -> {});
  }

  @Override
  public CompletableFuture<Void> flush() {
    return request(ToySession.FLUSH, 0, 0, NOTHING).thenAccept(nothing -> {});
  }

  @Override
  public CompletableFuture<Void> writeZeroes(long offset, int length) {
    return request(ToySession.ZERO, offset, length, NOTHING).thenAccept(nothing -> {});
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
