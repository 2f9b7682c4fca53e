package dev.holdfast.apiserver.internal.http;

import dev.holdfast.access.ExtensionResponse;
import dev.holdfast.error.StorageException;
import dev.holdfast.http.ConnectionRefusal;
import dev.holdfast.http.HttpAdmission;
import dev.holdfast.http.HttpAnswer;
import dev.holdfast.http.HttpLane;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpRefusal;
import dev.holdfast.http.HttpRequestHead;
import dev.holdfast.http.HttpRouter;
import dev.holdfast.http.ServerTls;
import dev.holdfast.http.StreamHandler;
import dev.holdfast.http.TrustedProxies;
import dev.holdfast.http.netty.NettyHttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The API over HTTPS; the only class that uses the HTTP server. The head of a request determines
 * its threads and the size limit of its body. Every refusal becomes a Status.
 */
public final class HttpListener implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpListener.class);
  private static final int MAX_BODY = 3 << 20;
  private static final String CACHE_CONTROL = "Cache-Control";
  private static final String RETRY_SECONDS = "1";
  private static final Set<String> LIVENESS = Set.of("livez", "version");
  private static final Set<String> READINESS = Set.of("readyz", "healthz");

  private final AtomicReference<TrustedProxies> proxies =
      new AtomicReference<>(TrustedProxies.NONE);
  private final NettyHttpServer server;

  /** Starts to listen. */
  public HttpListener(
      InetSocketAddress address, ServerTls tls, ApiHandler handler, HttpLimits limits)
      throws IOException {
    server =
        NettyHttpServer.start(
            address,
            tls,
            new Routes(handler, new UserLimits(System::nanoTime), proxies::get),
            limits);
  }

  public int port() {
    return server.port();
  }

  /** Trusts these proxies from the next request on. */
  public void trust(TrustedProxies trusted) {
    proxies.set(trusted);
  }

  /** Returns the number of refused connections by reason. */
  public Map<ConnectionRefusal, Long> refusals() {
    return server.refusals();
  }

  @Override
  public void close() {
    server.close();
  }

  /** Decides about requests. */
  private record Routes(ApiHandler handler, UserLimits users, Supplier<TrustedProxies> proxies)
      implements HttpRouter {
    @Override
    public HttpAdmission admit(HttpRequestHead arrived) {
      HttpRequestHead head = proxies.get().asSent(arrived);
      ApiRequest request =
          ApiRequest.of(
                  head.method(),
                  head.path(),
                  head.query(),
                  head.headers(),
                  head.client().getHostAddress())
              .ofDirectory(head.directory())
              .withCertificates(head.certificates());
      try {
        ApiHandler.Sender sender = handler.sender(request);
        Optional<Runnable> place = users.request(sender);
        if (place.isEmpty()) {
          return new HttpAdmission.Answered(answer(tooMany("requests of this user")));
        }
        return admission(request, sender, place.get());
      } catch (ApiException e) {
        return new HttpAdmission.Answered(answer(e.status()));
      }
    }

    private HttpAdmission admission(ApiRequest request, ApiHandler.Sender sender, Runnable ended) {
      Optional<ApiHandler.StreamedCall> open = handler.openCall(request);
      if (open.isPresent()) {
        return new HttpAdmission.Streamed(streamed(request, open.get()), ended);
      }
      return handler
          .guardedCall(request)
          .<HttpAdmission>map(
              call ->
                  new HttpAdmission.Deferred(
                      sender.identified() ? HttpLane.REQUESTS : HttpLane.ADMISSION,
                      () -> decision(request, call),
                      ended))
          .orElseGet(() -> whole(request, sender, ended));
    }

    private static HttpAdmission decision(ApiRequest request, ApiHandler.GuardedCall call) {
      try {
        return new HttpAdmission.Streamed(streamed(request, call.admit()), () -> {});
      } catch (ApiException e) {
        return new HttpAdmission.Answered(answer(e.status()));
      }
    }

    private HttpAdmission whole(ApiRequest request, ApiHandler.Sender sender, Runnable ended) {
      return new HttpAdmission.Whole(
          lane(request, sender),
          sender.identified(),
          Math.min(MAX_BODY, sender.largestBody()),
          body -> handle(request.withBody(text(request, body)), sender, ended),
          ended);
    }

    private static String text(ApiRequest head, byte[] body) {
      return new String(
          body, head.isProtobuf() ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8);
    }

    private static HttpLane lane(ApiRequest request, ApiHandler.Sender sender) {
      String only = request.path().size() == 1 ? request.path().get(0) : "";
      if (LIVENESS.contains(only)) {
        return HttpLane.LIVENESS;
      } else if (READINESS.contains(only)) {
        return HttpLane.READINESS;
      }
      return sender.identified() ? HttpLane.REQUESTS : HttpLane.WITHOUT_CREDENTIAL;
    }

    private HttpAnswer handle(ApiRequest request, ApiHandler.Sender sender, Runnable ended) {
      ApiResponse response = handler.handle(request);
      if (response instanceof ApiResponse.Streaming streaming) {
        // A watch counts as a watch and not as a request.
        ended.run();
        return watch(streaming, sender);
      }
      return GzipAnswers.forClient(request, complete((ApiResponse.Content) response));
    }

    private HttpAnswer watch(ApiResponse.Streaming streaming, ApiHandler.Sender sender) {
      Optional<Runnable> place = users.watch(sender);
      if (place.isEmpty()) {
        streaming.source().close();
        return answer(tooMany(UserLimits.WATCHES + " watches of this user"));
      }
      return new HttpAnswer.InPieces(
          200,
          List.of(
              Map.entry("Content-Type", streaming.contentType()),
              Map.entry(CACHE_CONTROL, "no-cache, private")),
          new CountedSource(streaming.source(), place.get()));
    }

    private static ApiStatus tooMany(String what) {
      return ApiStatus.failure(
          429, "TooManyRequests", "too many " + what + " at a time: try again after some ended");
    }

    @Override
    public HttpAnswer.Complete refuse(HttpRefusal refusal) {
      return answer(ApiStatus.failure(refusal.code(), reason(refusal.code()), refusal.message()));
    }
  }

  private static String reason(int code) {
    return switch (code) {
      case 408 -> "Timeout";
      case 413 -> "RequestEntityTooLarge";
      case 429 -> "TooManyRequests";
      case 500 -> "InternalError";
      case 503 -> "ServiceUnavailable";
      default -> "BadRequest";
    };
  }

  private static HttpAnswer.Complete answer(ApiStatus status) {
    return complete((ApiResponse.Content) status.response());
  }

  private static HttpAnswer.Complete complete(ApiResponse.Content content) {
    List<Map.Entry<String, String>> headers = new ArrayList<>();
    headers.add(Map.entry("Content-Type", content.contentType()));
    headers.add(Map.entry(CACHE_CONTROL, "no-cache, private"));
    for (String warning : content.warnings()) {
      headers.add(
          Map.entry("Warning", "299 - \"" + warning.replaceAll("([\"\\\\])", "\\\\$1") + "\""));
    }
    if (content.code() == 503 || content.code() == 429) {
      headers.add(Map.entry("Retry-After", RETRY_SECONDS));
    }
    return new HttpAnswer.Complete(content.code(), headers, content.body());
  }

  /** Runs the call of an extension and converts its failures into answers. */
  private static StreamHandler streamed(ApiRequest head, ApiHandler.StreamedCall call) {
    return (body, answer) -> {
      try {
        call.run(body, response(answer));
      } catch (StorageException e) {
        refuse(answer, ApiStatus.of(e));
      } catch (RuntimeException e) {
        LOG.error("{} {} failed", head.method(), head.pathText(), e);
        refuse(
            answer,
            ApiStatus.failure(500, "InternalError", "internal error of the server: see its log"));
      }
    };
  }

  private static void refuse(StreamHandler.Answer answer, ApiStatus status) throws IOException {
    if (answer.isBegun()) {
      throw new IOException("the answer is cut off: " + status.message());
    }
    answer.send(answer(status));
  }

  private static ExtensionResponse response(StreamHandler.Answer answer) {
    return (code, contentType, length, further) -> {
      List<Map.Entry<String, String>> headers = new ArrayList<>();
      headers.add(Map.entry("Content-Type", contentType));
      if (!further.containsKey(CACHE_CONTROL)) {
        headers.add(Map.entry(CACHE_CONTROL, "no-cache, private"));
      }
      headers.addAll(further.entrySet());
      return answer.begin(code, headers, length);
    };
  }
}
