package dev.holdfast.jsonrpc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The server's end of a connection over a real socket, controlled by the test. */
final class Peer implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path folder;
  private final ServerSocketChannel listening;
  private SocketChannel channel;
  private MappingIterator<JsonNode> requests;

  Peer() throws IOException {
    folder = Files.createTempDirectory("rpc");
    listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    listening.bind(UnixDomainSocketAddress.of(socket()), 1);
  }

  Path socket() {
    return folder.resolve("s");
  }

  /** Waits for the client's connection; {@link #request} then reads the requests one by one. */
  Peer accept() throws IOException {
    channel = listening.accept();
    return this;
  }

  JsonNode request() throws IOException {
    if (requests == null) {
      requests = JSON.readerFor(JsonNode.class).readValues(Channels.newInputStream(channel));
    }
    return requests.nextValue();
  }

  void send(String text) throws IOException {
    send(text.getBytes(StandardCharsets.UTF_8));
  }

  void send(byte[] bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
  }

  /** Answers a request with a result in JSON. */
  void answer(JsonNode request, String result) throws IOException {
    send(result(request, result));
  }

  static String result(JsonNode request, String result) {
    return "{\"jsonrpc\":\"2.0\",\"id\":" + request.get("id") + ",\"result\":" + result + "}";
  }

  void hangUp() throws IOException {
    channel.close();
  }

  /** Runs the peer's part concurrently with the test. */
  static CompletableFuture<Void> beside(Script script) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            script.run();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        },
        task -> new Thread(task, "peer").start());
  }

  static void ended(CompletableFuture<Void> script) throws Exception {
    script.get(20, TimeUnit.SECONDS);
  }

  @Override
  public void close() throws IOException {
    listening.close();
    if (channel != null) {
      channel.close();
    }
    Files.deleteIfExists(socket());
    Files.delete(folder);
  }

  /** The peer's part of a test. */
  @FunctionalInterface
  interface Script {
    void run() throws IOException;
  }
}
