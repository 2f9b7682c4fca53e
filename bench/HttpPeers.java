import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.holdfast.http.HttpAdmission;
import dev.holdfast.http.HttpAnswer;
import dev.holdfast.http.HttpLane;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpRefusal;
import dev.holdfast.http.HttpRequestHead;
import dev.holdfast.http.HttpRouter;
import dev.holdfast.http.netty.NettyHttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * The same answers by the HTTP server of a node and by the JDK's, on which the API stood before.
 *
 * <p>{@code HttpPeers netty|jdk KEYSTORE PASSWORD} prints its port, and serves until its input ends.
 */
final class HttpPeers {
  private static final int THREADS = 64;
  private static final int LARGEST = 2 << 20;
  private static final List<Map.Entry<String, String>> JSON =
      List.of(Map.entry("Content-Type", "application/json"));

  /** By path. A body that is sent is answered by its size. */
  private static final Map<String, byte[]> ANSWERS =
      Map.of(
          "small", rows(1),
          "table", rows(500),
          "large", "x".repeat(1 << 20).getBytes(StandardCharsets.UTF_8));

  private HttpPeers() {}

  /** Returns rows as a Table has them, each of about 300 bytes. */
  private static byte[] rows(int count) {
    String row =
        "{\"cells\":[\"volume-0000\",\"1Gi\",\"attached\",\"healthy\",\"node-1\"],\"object\":{\"metadata\":"
            + "{\"name\":\"volume-0000\",\"uid\":\"0b6c2b46-7a2f-4a55-9d6b-6a3e2a6f9c11\","
            + "\"resourceVersion\":\"123456\",\"creationTimestamp\":\"2026-01-01T00:00:00Z\"}}}";
    return ("{\"kind\":\"Table\",\"rows\":[" + (row + ",").repeat(count - 1) + row + "]}")
        .getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] answer(String path, int received) {
    return ANSWERS.getOrDefault(path, Integer.toString(received).getBytes(StandardCharsets.UTF_8));
  }

  private static final class Router implements HttpRouter {
    @Override
    public HttpAdmission admit(HttpRequestHead head) {
      String path = String.join("/", head.path());
      return new HttpAdmission.Whole(
          HttpLane.REQUESTS,
          true,
          LARGEST,
          body -> new HttpAnswer.Complete(200, JSON, ByteBuffer.wrap(answer(path, body.length))),
          () -> {});
    }

    @Override
    public HttpAnswer.Complete refuse(HttpRefusal refusal) {
      return new HttpAnswer.Complete(
          refusal.code(), JSON, ByteBuffer.wrap(refusal.message().getBytes(StandardCharsets.UTF_8)));
    }
  }

  private static void handle(HttpExchange exchange) throws IOException {
    try (exchange; InputStream in = exchange.getRequestBody()) {
      byte[] body = answer(exchange.getRequestURI().getPath().substring(1), in.readAllBytes().length);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private static SSLContext tls(Path file, char[] password) throws Exception {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, password);
    }
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, password);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return context;
  }

  private static int serve(String server, SSLContext tls) throws Exception {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    if (server.equals("netty")) {
      return NettyHttpServer.start(address, tls, new Router(), HttpLimits.DEFAULT).port();
    }
    HttpsServer jdk = HttpsServer.create(address, 0);
    jdk.setHttpsConfigurator(new HttpsConfigurator(tls));
    jdk.setExecutor(Executors.newFixedThreadPool(THREADS));
    jdk.createContext("/", HttpPeers::handle);
    jdk.start();
    return jdk.getAddress().getPort();
  }

  public static void main(String[] arguments) throws Exception {
    SSLContext tls = tls(Path.of(arguments[1]), arguments[2].toCharArray());
    System.out.println(serve(arguments[0], tls));
    while (System.in.read() >= 0) {
      // Serves until the input ends.
    }
    System.exit(0);
  }
}
