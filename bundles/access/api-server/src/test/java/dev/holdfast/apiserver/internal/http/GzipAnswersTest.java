package dev.holdfast.apiserver.internal.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.HttpAnswer;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GzipAnswersTest {
  private static final String LARGE = "abc ".repeat(GzipAnswers.SMALLEST / 4);

  private static HttpAnswer.Complete answer(String acceptEncoding, String body) {
    ApiRequest request =
        ApiRequest.of(
            "GET",
            List.of(),
            Map.of(),
            name -> Optional.of(acceptEncoding).filter(v -> name.equals("Accept-Encoding")),
            "192.0.2.1");
    return GzipAnswers.forClient(
        request,
        new HttpAnswer.Complete(
            200,
            List.of(Map.entry("Content-Type", "application/json")),
            ByteBuffer.wrap(body.getBytes(UTF_8))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "gzip, deflate, br", "br;q=1.0, gzip;q=0.8"})
  void largeAnswerIsCompressedForWhoAcceptsIt(String acceptEncoding) throws Exception {
    HttpAnswer.Complete answer = answer(acceptEncoding, LARGE);
    assertThat(answer.headers())
        .contains(Map.entry("Content-Encoding", "gzip"), Map.entry("Vary", "Accept-Encoding"));
    byte[] sent = new byte[answer.body().remaining()];
    answer.body().duplicate().get(sent);
    assertThat(sent.length).isLessThan(LARGE.length() / 10);
    try (GZIPInputStream plain = new GZIPInputStream(new ByteArrayInputStream(sent))) {
      assertThat(new String(plain.readAllBytes(), UTF_8)).isEqualTo(LARGE);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "identity", "br", "gzip;q=0", "gzip;q=0.000, br", "xgzip"})
  void otherClientsGetItAsItIs(String acceptEncoding) {
    HttpAnswer.Complete answer = answer(acceptEncoding, LARGE);
    assertThat(answer.headers())
        .contains(Map.entry("Vary", "Accept-Encoding"))
        .doesNotContain(Map.entry("Content-Encoding", "gzip"));
    assertThat(answer.body()).isEqualTo(ByteBuffer.wrap(LARGE.getBytes(UTF_8)));
  }

  @Test
  void smallAnswerStaysAsItIs() {
    assertThat(answer("gzip", "{}").headers())
        .containsExactly(Map.entry("Content-Type", "application/json"));
  }
}
