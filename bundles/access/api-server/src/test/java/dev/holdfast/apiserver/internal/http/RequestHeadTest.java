package dev.holdfast.apiserver.internal.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests as RFC 9112 has them, and others. */
class RequestHeadTest {
  private static InputStream input(String text) {
    return new ByteArrayInputStream(text.getBytes(ISO_8859_1));
  }

  private static RequestHead head(String text) throws IOException {
    return RequestHead.read(input(text)).orElseThrow();
  }

  private static String body(String head, String rest) throws IOException {
    RequestHead read = head("POST / HTTP/1.1\r\n" + head + "\r\n\r\n");
    return new String(new RequestBody(input(rest), read.bodyLength()).readAllBytes(), ISO_8859_1);
  }

  @Test
  void partsAreWhatTheClientSent() throws Exception {
    RequestHead head = head("get /a%2Fb?c=d HTTP/1.1\r\nHost: x\r\nAccept:  one \r\n\r\n");

    assertThat(head.method()).isEqualTo("GET");
    assertThat(head.target().getRawPath()).isEqualTo("/a%2Fb");
    assertThat(head.target().getRawQuery()).isEqualTo("c=d");
    assertThat(head.header("accept")).contains("one");
    assertThat(head.keepsAlive()).isTrue();
    assertThat(head.bodyLength()).isZero();
  }

  @Test
  void targetNeverNamesAHost() throws Exception {
    assertThat(head("GET //host/x HTTP/1.1\r\n\r\n").target().getRawPath()).isEqualTo("/host/x");
    assertThat(head("GET https://h:1/x HTTP/1.1\r\n\r\n").target().getRawPath()).isEqualTo("/x");
  }

  @ParameterizedTest
  @CsvSource({"1.1,close,false", "1.1,x,true", "1.0,x,false", "1.0,Keep-Alive,true"})
  void connectionIsKeptAsTheClientAsks(String version, String connection, boolean kept)
      throws Exception {
    String text = "GET / HTTP/" + version + "\r\nConnection: " + connection + "\r\n\r\n";
    assertThat(head(text).keepsAlive()).isEqualTo(kept);
  }

  @Test
  void endBeforeARequestIsNotARequest() throws Exception {
    assertThat(RequestHead.read(input(""))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /\r\n\r\n",
        "GET / HTTP/2.0\r\n\r\n",
        "GET  / HTTP/1.1\r\n\r\n",
        "GET /%zz HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\r\nName : space\r\n\r\n",
        "GET / HTTP/1.1\r\nA: b\r\n folded\r\n\r\n",
        "GET / HTTP/1.1\r\nA: b\r\n",
        "GET / HTTP/1.1\r\n: b\r\n\r\n",
        "GET / HTTP/1.1\r\nA: b\rc\r\n\r\n",
        "GET / HTTP/1.1\r\nA: \0\r\n\r\n",
        "GET / HTTP/1.1\r\nA: \177\r\n\r\n"
      })
  void otherFormsAreRefused(String text) {
    assertThatThrownBy(() -> head(text)).isInstanceOf(BadRequestException.class);
  }

  @Test
  void headWithoutEndIsRefused() {
    String text = "GET / HTTP/1.1\r\nA: " + "x".repeat(70_000);
    assertThatThrownBy(() -> head(text))
        .isInstanceOfSatisfying(
            BadRequestException.class, e -> assertThat(e.code()).isEqualTo(431));
  }

  @Test
  void valueIsStrippedOfBlanksOnly() throws Exception {
    RequestHead head = head("GET / HTTP/1.1\r\nA:\t b:\t c \t\r\nB:\r\nC: \u00a0\r\n\r\n");

    assertThat(head.header("a")).contains("b:\t c");
    assertThat(head.header("b")).contains("");
    assertThat(head.header("c")).contains("\u00a0");
  }

  /** A guard against a parser that hangs, not a measurement. */
  @ParameterizedTest
  @ValueSource(strings = {"\u0085", "\rx", "x"})
  void blanksInAHeaderAreReadAtOnce(String last) {
    for (String blank : List.of(" ", "\t")) {
      String text = "GET / HTTP/1.1\r\nA:" + blank.repeat(30_000) + last + "\r\n\r\n";
      assertTimeoutPreemptively(
          Duration.ofSeconds(5),
          () -> {
            if (last.length() == 1) {
              assertThat(head(text).header("a")).contains(last);
            } else {
              assertThatThrownBy(() -> head(text)).isInstanceOf(BadRequestException.class);
            }
          });
    }
  }

  @Test
  void twoHundredHeadersAreEnough() throws Exception {
    String most = "GET / HTTP/1.1\r\n" + "A: b\r\n".repeat(200);
    assertThat(head(most + "\r\n").headers().get("a")).hasSize(200);

    assertThatThrownBy(() -> head(most + "A: b\r\n\r\n"))
        .isInstanceOfSatisfying(
            BadRequestException.class, e -> assertThat(e.code()).isEqualTo(431));
  }

  @Test
  void bodyHasItsLength() throws Exception {
    assertThat(body("Content-Length: 3", "abcdef")).isEqualTo("abc");
    assertThat(body("Transfer-Encoding: chunked", "2;x=y\r\nab\r\n1\r\nc\r\n0\r\nT: t\r\n\r\nrest"))
        .isEqualTo("abc");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 1\r\nTransfer-Encoding: chunked",
        "Content-Length: 1\r\nContent-Length: 2",
        "Content-Length: -1",
        "Content-Length: 1e3",
        "Transfer-Encoding: gzip, chunked"
      })
  void doubtfulLengthsAreRefused(String headers) {
    assertThatThrownBy(() -> body(headers, "")).isInstanceOf(BadRequestException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"2\r\nabc\r\n0\r\n\r\n", "x\r\n", "-1\r\n", "2\r\na"})
  void doubtfulChunksAreRefused(String chunks) {
    assertThatThrownBy(() -> body("Transfer-Encoding: chunked", chunks))
        .isInstanceOf(IOException.class);
  }
}
