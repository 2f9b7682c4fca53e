package dev.holdfast.itests;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A web server on this machine that sends half of a file and then waits for {@link #release}. It
 * takes ranges and has a strong entity tag.
 */
final class HeldDownload implements AutoCloseable {
  private static final String TAG = "\"first\"";
  private static final int PIECE = 1 << 20;

  private final Path file;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch held = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private final List<Long> starts = new CopyOnWriteArrayList<>();

  HeldDownload(Path file) throws IOException {
    this.file = file;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/image", this::serve);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/image";
  }

  /** Waits until half of the file was sent. */
  void awaitHalf() throws InterruptedException {
    held.await();
  }

  /** Sends the rest, also to later clients. */
  void release() {
    released.countDown();
  }

  /** Returns the offset at which each request began. */
  List<Long> starts() {
    return List.copyOf(starts);
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      String range = exchange.getRequestHeaders().getFirst("Range");
      long start = range == null ? 0 : Long.parseLong(range.replaceAll("\\D", ""));
      long size = Files.size(file);
      starts.add(start);
      exchange.getResponseHeaders().set("ETag", TAG);
      if (range != null) {
        exchange
            .getResponseHeaders()
            .set("Content-Range", "bytes " + start + "-" + (size - 1) + "/" + size);
      }
      exchange.sendResponseHeaders(range == null ? 200 : 206, size - start);
      send(start, size, exchange.getResponseBody());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void send(long start, long size, OutputStream out)
      throws IOException, InterruptedException {
    try (var in = Files.newInputStream(file)) {
      in.skipNBytes(start);
      for (long at = start; at < size; ) {
        if (at >= size / 2 && held.getCount() > 0) {
          out.flush();
          held.countDown();
          released.await();
        }
        byte[] piece = in.readNBytes((int) Math.min(PIECE, size - at));
        out.write(piece);
        at += piece.length;
      }
    }
  }

  @Override
  public void close() {
    release();
    server.stop(0);
    threads.shutdownNow();
  }
}
