package dev.holdfast.imagesource.download.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The real nginx with the files of a folder. Connections to it pass through this process, which
 * ends each one of the first ones after a random number of bytes.
 */
final class CutServer implements AutoCloseable {
  private static final int LARGEST_PART = 100_000;

  private final Path home;
  private final Process nginx;
  private final ServerSocket listener;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicInteger cuts;
  private final Random random;

  /**
   * Starts the server.
   *
   * @param home folder of the files
   * @param cuts number of connections that end early
   */
  CutServer(Path home, int cuts, long seed) throws IOException, InterruptedException {
    this.home = home;
    this.cuts = new AtomicInteger(cuts);
    this.random = new Random(seed);
    Path configuration =
        Files.writeString(
            home.resolve("nginx.conf"),
            """
            daemon off;
            user root;
            pid nginx.pid;
            events {}
            http {
              access_log off;
              client_body_temp_path body;
              proxy_temp_path proxy;
              server {
                listen unix:%s;
                root %s;
              }
            }
            """
                .formatted(home.resolve("socket"), home));
    nginx =
        new ProcessBuilder(
                "nginx", "-p", home.toString(), "-e", "error.log", "-c", configuration.toString())
            .redirectErrorStream(true)
            .redirectOutput(home.resolve("output").toFile())
            .start();
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    awaitNginx();
    Future<?> unused = threads.submit(this::accept);
  }

  private void awaitNginx() throws IOException, InterruptedException {
    while (!isReady()) {
      if (nginx.waitFor(20, TimeUnit.MILLISECONDS)) {
        throw new IOException("nginx ended: " + Files.readString(home.resolve("output")));
      }
    }
  }

  private boolean isReady() {
    try (SocketChannel channel = connect()) {
      return channel.isConnected();
    } catch (IOException notYet) {
      return false;
    }
  }

  private SocketChannel connect() throws IOException {
    return SocketChannel.open(UnixDomainSocketAddress.of(home.resolve("socket")));
  }

  int port() {
    return listener.getLocalPort();
  }

  /** Returns how many connections are still to end early. */
  int cutsLeft() {
    return cuts.get();
  }

  private Void accept() throws IOException {
    while (!listener.isClosed()) {
      Socket client = listener.accept();
      boolean cut = cuts.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
      long most = cut ? 1 + random.nextInt(LARGEST_PART) : Long.MAX_VALUE;
      Future<?> unused = threads.submit(() -> pass(client, most));
    }
    return null;
  }

  private Void pass(Socket client, long most) throws IOException {
    try (client;
        SocketChannel server = connect();
        InputStream answer = Channels.newInputStream(server)) {
      Future<?> unused = threads.submit(() -> ask(client, server));
      OutputStream out = client.getOutputStream();
      byte[] buffer = new byte[LARGEST_PART];
      for (long left = most; left > 0; ) {
        int read = answer.read(buffer, 0, (int) Math.min(buffer.length, left));
        if (read < 0) {
          return null;
        }
        out.write(buffer, 0, read);
        left -= read;
      }
    }
    return null;
  }

  // The streams of a channel wait for each other, so this direction has none.
  private static Void ask(Socket client, SocketChannel server) throws IOException {
    byte[] request = new byte[LARGEST_PART];
    InputStream in = client.getInputStream();
    for (int read = in.read(request); read > 0; read = in.read(request)) {
      ByteBuffer rest = ByteBuffer.wrap(request, 0, read);
      while (rest.hasRemaining()) {
        server.write(rest);
      }
    }
    return null;
  }

  @Override
  public void close() throws IOException {
    listener.close();
    nginx.destroy();
    nginx.onExit().join();
    threads.shutdownNow();
  }
}
