package dev.holdfast.http.netty;

import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.http.HttpAdmission;
import dev.holdfast.http.HttpAnswer;
import dev.holdfast.http.HttpLane;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpRefusal;
import dev.holdfast.http.HttpRequestHead;
import dev.holdfast.http.HttpRouter;
import dev.holdfast.http.ServerTls;
import dev.holdfast.http.StreamHandler;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Answers by the first segment of the path: {@code live}, {@code echo}, {@code large}, {@code
 * stream}, {@code block}, which waits until it is released, and {@code later}, which decides then
 * by the rest of the path.
 */
final class TestRouter implements HttpRouter {
  static final int LARGEST = 1 << 20;

  final CountDownLatch released = new CountDownLatch(1);
  final CountDownLatch blocked = new CountDownLatch(HttpLane.REQUESTS.threads());
  final CountDownLatch deciding = new CountDownLatch(HttpLane.ADMISSION.threads());
  final AtomicInteger ended = new AtomicInteger();
  private final Path tls;

  TestRouter(Path directory) throws Exception {
    tls = directory;
    TlsDirectory.prepare(directory, List.of("localhost", "127.0.0.1"), Clock.systemUTC());
  }

  NettyHttpServer start(HttpLimits limits) throws Exception {
    SSLContext context =
        TlsDirectory.prepare(tls, List.of("localhost", "127.0.0.1"), Clock.systemUTC())
            .serverContext();
    return NettyHttpServer.start(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        ServerTls.of(context),
        this,
        limits);
  }

  SSLContext clientTls() throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    try (InputStream in = Files.newInputStream(tls.resolve("ca.crt"))) {
      trusted.setCertificateEntry(
          "ca", CertificateFactory.getInstance("X.509").generateCertificate(in));
    }
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }

  @Override
  public HttpAdmission admit(HttpRequestHead head) {
    String what = head.path().isEmpty() ? "" : head.path().get(0);
    boolean identified = head.headers().apply("Authorization").isPresent();
    return switch (what) {
      case "live" -> whole(HttpLane.LIVENESS, false, body -> text(200, "ok"));
      case "echo" -> whole(HttpLane.REQUESTS, identified, body -> answer(200, body));
      case "path" ->
          whole(
              HttpLane.REQUESTS,
              identified,
              body -> text(200, head.method() + " " + head.path() + " " + head.query()));
      case "block" -> whole(HttpLane.REQUESTS, identified, body -> block());
      case "later" ->
          new HttpAdmission.Deferred(
              HttpLane.ADMISSION, () -> decideLater(head), ended::incrementAndGet);
      case "stream" -> new HttpAdmission.Streamed(TestRouter::mirror, ended::incrementAndGet);
      default -> new HttpAdmission.Answered(text(404, "nothing is at " + head.path()));
    };
  }

  private HttpAdmission whole(
      HttpLane lane, boolean identified, HttpAdmission.WholeHandler handler) {
    return new HttpAdmission.Whole(lane, identified, LARGEST, handler, ended::incrementAndGet);
  }

  private HttpAnswer block() {
    blocked.countDown();
    awaitRelease();
    return text(200, "released");
  }

  private void awaitRelease() {
    try {
      released.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private HttpAdmission decideLater(HttpRequestHead head) {
    deciding.countDown();
    awaitRelease();
    return admit(
        new HttpRequestHead(
            head.method(),
            head.path().subList(1, head.path().size()),
            head.directory(),
            head.query(),
            head.headers(),
            head.client(),
            head.certificates()));
  }

  private static void mirror(InputStream body, StreamHandler.Answer answer) throws IOException {
    try (OutputStream out = answer.begin(200, List.of(), -1)) {
      body.transferTo(out);
    }
  }

  static HttpAnswer.Complete text(int code, String text) {
    return answer(code, text.getBytes(StandardCharsets.UTF_8));
  }

  private static HttpAnswer.Complete answer(int code, byte[] body) {
    return new HttpAnswer.Complete(
        code, List.of(Map.entry("Content-Type", "text/plain")), ByteBuffer.wrap(body));
  }

  @Override
  public HttpAnswer.Complete refuse(HttpRefusal refusal) {
    return text(refusal.code(), "refused: " + refusal.message());
  }
}
