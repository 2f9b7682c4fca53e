package dev.holdfast.imagesource.download.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/** An HTTPS server behind a proxy on loopback that makes a tunnel to it, for one connection. */
final class TunnelledServer implements AutoCloseable {
  private static final char[] PASSWORD = "changeit".toCharArray();

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CompletableFuture<String> connect = new CompletableFuture<>();
  private final CompletableFuture<String> request = new CompletableFuture<>();
  private final SSLContext tls;
  private final ServerSocket server;
  private final ServerSocket proxy;

  /** Starts both; the server's certificate is for a name. */
  TunnelledServer(Path folder, String name, String answer) throws Exception {
    tls = context(folder.resolve("server.p12"), name);
    server = tls.getServerSocketFactory().createServerSocket(0, 1, loopback());
    proxy = new ServerSocket(0, 1, loopback());
    threads.execute(() -> answer(answer));
    threads.execute(this::relay);
  }

  private static InetAddress loopback() {
    return InetAddress.getLoopbackAddress();
  }

  private static SSLContext context(Path file, String name) throws Exception {
    Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
    List<String> command =
        List.of(
            keytool.toString(),
            "-genkeypair",
            "-keyalg",
            "EC",
            "-dname",
            "CN=test",
            "-ext",
            "san=dns:" + name,
            "-keystore",
            file.toString(),
            "-storepass",
            new String(PASSWORD));
    if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
      throw new IOException("keytool makes no certificate");
    }
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD);
    }
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, PASSWORD);
    // The certificate signs itself, so that it is its own authority.
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("test", store.getCertificate(store.aliases().nextElement()));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  /** Returns the port of the proxy. */
  int port() {
    return proxy.getLocalPort();
  }

  /** Returns sockets that trust the server. */
  SSLSocketFactory trusting() {
    return tls.getSocketFactory();
  }

  /** Returns the head of the request to the proxy. */
  String connect() {
    return connect.join();
  }

  /** Returns the head of the request to the server. */
  String request() {
    return request.join();
  }

  private void answer(String answer) {
    try (Socket socket = server.accept()) {
      request.complete(head(socket.getInputStream()));
      ScriptedServer.write(socket.getOutputStream(), answer);
    } catch (IOException e) {
      request.completeExceptionally(e);
    }
  }

  private void relay() {
    try (Socket client = proxy.accept()) {
      connect.complete(head(client.getInputStream()));
      ScriptedServer.write(client.getOutputStream(), "HTTP/1.1 200 Connected\r\nVia: x\r\n\r\n");
      try (Socket peer = new Socket(loopback(), server.getLocalPort())) {
        InputStream fromClient = client.getInputStream();
        OutputStream toPeer = peer.getOutputStream();
        threads.execute(
            () -> {
              try {
                fromClient.transferTo(toPeer);
                peer.shutdownOutput();
              } catch (IOException e) {
                // One of them ended the connection.
              }
            });
        peer.getInputStream().transferTo(client.getOutputStream());
      }
    } catch (IOException e) {
      connect.completeExceptionally(e);
    }
  }

  private static String head(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      byte[] next = in.readNBytes(1);
      if (next.length == 0) {
        throw new IOException("the client ends the connection");
      }
      head.append(new String(next, StandardCharsets.ISO_8859_1));
    }
    return head.toString();
  }

  @Override
  public void close() throws IOException {
    proxy.close();
    server.close();
    threads.shutdownNow();
  }
}
