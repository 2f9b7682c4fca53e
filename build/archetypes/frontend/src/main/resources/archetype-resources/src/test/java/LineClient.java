package ${package};

import dev.holdfast.frontend.testkit.FrontendClient;
import dev.holdfast.frontend.testkit.RequestFailedException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** A client of the protocol; a thread of its own takes the answers. */
final class LineClient implements FrontendClient {
  private final Socket socket;
  private final DataInputStream in;
  private final AtomicLong tags = new AtomicLong();
  private final Map<String, CompletableFuture<byte[]>> waiting = new ConcurrentHashMap<>();
  private volatile IOException lost;

  LineClient(URI endpoint) throws IOException {
    socket = new Socket(endpoint.getHost(), endpoint.getPort());
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    try {
      send("ATTACH " + endpoint.getPath().substring(1), new byte[0]);
      String greeting = line();
      if (!greeting.startsWith("OK ")) {
        throw new IOException("refused: " + greeting);
      }
    } catch (IOException e) {
      socket.close();
      throw e;
    }
    Thread answers = new Thread(this::takeAnswers, "answers");
    answers.setDaemon(true);
    answers.start();
  }

  private synchronized void send(String line, byte[] payload) throws IOException {
    byte[] head = (line + "\n").getBytes(StandardCharsets.UTF_8);
    byte[] message = new byte[head.length + payload.length];
    System.arraycopy(head, 0, message, 0, head.length);
    System.arraycopy(payload, 0, message, head.length, payload.length);
    socket.getOutputStream().write(message);
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("the server has closed the connection");
      }
      line.write(next);
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  private void takeAnswers() {
    try {
      while (true) {
        String[] words = line().split(" ", 3);
        CompletableFuture<byte[]> answer = waiting.remove(words[0]);
        if (words[1].equals("OK")) {
          answer.complete(in.readNBytes(Integer.parseInt(words[2])));
        } else {
          answer.completeExceptionally(new RequestFailedException(words[2]));
        }
      }
    } catch (IOException e) {
      lost = e;
      waiting.values().forEach(answer -> answer.completeExceptionally(e));
    }
  }

  private CompletableFuture<byte[]> request(String verb, String range, byte[] payload) {
    String tag = String.valueOf(tags.incrementAndGet());
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    waiting.put(tag, answer);
    try {
      send(verb + " " + tag + range, payload);
    } catch (IOException e) {
      answer.completeExceptionally(e);
    }
    if (lost != null) {
      answer.completeExceptionally(lost);
    }
    return answer;
  }

  @Override
  public CompletableFuture<byte[]> read(long offset, int length) {
    return request("READ", " " + offset + " " + length, new byte[0]);
  }

  @Override
  public CompletableFuture<Void> write(long offset, byte[] data, boolean durable) {
    String range = " " + offset + " " + data.length + (durable ? " FUA" : "");
    return request("WRITE", range, data).thenAccept(nothing -> {});
  }

  @Override
  public CompletableFuture<Void> flush() {
    return request("FLUSH", "", new byte[0]).thenAccept(nothing -> {});
  }

  @Override
  public CompletableFuture<Void> writeZeroes(long offset, int length) {
    return request("ZERO", " " + offset + " " + length, new byte[0]).thenAccept(nothing -> {});
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
