package dev.holdfast.apiserver.internal.figures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.http.PieceSource;
import dev.holdfast.resource.KindCatalogue;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MeasuredHandlerTest {
  private static final List<String> VOLUMES = List.of("apis", "holdfast.dev", "v1", "volumes");

  private final ApiFigures figures = new ApiFigures();
  private final AtomicLong clock = new AtomicLong();
  private ApiResponse answer = ApiResponse.text(200, "ok");
  private final MeasuredHandler handler =
      new MeasuredHandler(
          request -> answer, figures, KindCatalogue.load(), () -> clock.addAndGet(2_000_000));

  private ApiResponse send(String method, List<String> path, Map<String, List<String>> query) {
    return handler.handle(
        ApiRequest.of(method, path, query, name -> Optional.empty(), "192.0.2.1"));
  }

  private long count(String verb, String kind, int code) {
    return figures.requests().get(new ApiFigures.Request(verb, kind, code)).sum();
  }

  @Test
  void requestsCountByVerbKindAndStatus() {
    send("GET", VOLUMES, Map.of());
    send("GET", List.of("apis", "holdfast.dev", "v1", "volumes", "films"), Map.of());
    send("GET", List.of("livez"), Map.of());
    send("GET", List.of(), Map.of());
    answer = ApiResponse.text(404, "absent");
    send("DELETE", List.of("apis", "holdfast.dev", "v1", "guesses", "x"), Map.of());

    assertThat(count("list", "volumes", 200)).isEqualTo(1);
    assertThat(count("get", "volumes", 200)).isEqualTo(1);
    assertThat(count("get", "", 200)).isEqualTo(2);
    assertThat(count("delete", "other", 404)).isEqualTo(1);
    assertThat(figures.seconds().get("get").counts().sum()).isEqualTo(0.006);
  }

  @Test
  void watchCountsUntilItIsClosed() {
    answer =
        new ApiResponse.Streaming(
            "application/json",
            new PieceSource() {
              @Override
              public void open(Runnable wake) {}

              @Override
              public Piece next() {
                return Piece.none(Duration.ofMinutes(1));
              }

              @Override
              public void close() {}
            });
    ApiResponse.Streaming watch =
        (ApiResponse.Streaming) send("GET", VOLUMES, Map.of("watch", List.of("true")));
    assertThat(count("watch", "volumes", 200)).isEqualTo(1);
    assertThat(figures.watches()).isEqualTo(1);
    watch.source().close();
    watch.source().close();
    assertThat(figures.watches()).isZero();
  }
}
