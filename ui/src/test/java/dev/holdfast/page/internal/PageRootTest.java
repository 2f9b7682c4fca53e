package dev.holdfast.page.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files that the build made, as browsers receive them. */
class PageRootTest {
  private static final Pattern SCRIPT = Pattern.compile("src=\"\\./(assets/[^\"]+\\.js)\"");

  private static final Pattern IMPORT_MAP =
      Pattern.compile("<script type=\"importmap\">([^<]*)</script>");

  @TempDir private Path data;
  private Page page;

  @BeforeEach
  void start() throws Exception {
    page = new Page(data, new ManualClock());
  }

  private FakeResponse get(String path, Map<String, String> headers) throws Exception {
    return page.send("GET", path, headers, "");
  }

  private String script() throws Exception {
    Matcher script =
        SCRIPT.matcher(new String(get("/page/", Map.of()).bytes(), StandardCharsets.UTF_8));
    assertThat(script.find()).isTrue();
    return "/page/" + script.group(1);
  }

  @Test
  void pageIsNeverCachedAndProtected() throws Exception {
    FakeResponse response = get("/page/", Map.of());

    assertThat(response.code).isEqualTo(200);
    assertThat(response.headers)
        .containsEntry("Cache-Control", "no-store")
        .containsEntry("X-Content-Type-Options", "nosniff")
        .containsEntry("X-Frame-Options", "DENY")
        .containsEntry("Referrer-Policy", "no-referrer")
        .containsKey("Strict-Transport-Security");
    assertThat(response.headers.get("Content-Security-Policy"))
        .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
        .doesNotContain("unsafe", "*");
  }

  @Test
  void pageHasNoScriptAndNoStyleInItsMarkup() throws Exception {
    String markup = new String(get("/page/", Map.of()).bytes(), StandardCharsets.UTF_8);

    assertThat(markup).doesNotContain("<style", " style=", "onload=", "http:", "https:");
    String inline =
        IMPORT_MAP
            .matcher(markup.replaceAll("<script [^>]*src=[^>]*></script>", ""))
            .replaceAll("");
    assertThat(inline).doesNotContain("<script");
  }

  @Test
  void importMapIsTheOnlyInlineScriptThatThePolicyPermits() throws Exception {
    FakeResponse response = get("/page/", Map.of());
    Matcher map = IMPORT_MAP.matcher(new String(response.bytes(), StandardCharsets.UTF_8));
    assertThat(map.find()).isTrue();
    String hash =
        Base64.getEncoder()
            .encodeToString(
                MessageDigest.getInstance("SHA-256")
                    .digest(map.group(1).getBytes(StandardCharsets.UTF_8)));

    assertThat(response.headers.get("Content-Security-Policy"))
        .contains("script-src 'self' 'sha256-" + hash + "';");
    assertThat(get(script(), Map.of()).headers.get("Content-Security-Policy"))
        .contains("script-src 'self';");
    assertThat(new ObjectMapper().readTree(map.group(1)).path("imports").properties())
        .extracting(Map.Entry::getKey)
        .containsExactlyInAnyOrder("react", "react/jsx-runtime", "react-dom", "@holdfast/page-sdk");
  }

  @Test
  void assetsAreKeptForever() throws Exception {
    assertThat(get(script(), Map.of()).headers.get("Cache-Control")).contains("immutable");
  }

  @Test
  void fileHasTheSameContentInEachEncoding() throws Exception {
    String path = script();
    FakeResponse plain = get(path, Map.of());
    FakeResponse gzip = get(path, Map.of("Accept-Encoding", "gzip"));
    FakeResponse brotli = get(path, Map.of("Accept-Encoding", "gzip, br"));

    assertThat(plain.headers).doesNotContainKey("Content-Encoding");
    assertThat(gzip.headers).containsEntry("Content-Encoding", "gzip");
    assertThat(new GZIPInputStream(new ByteArrayInputStream(gzip.bytes())).readAllBytes())
        .isEqualTo(plain.bytes());
    assertThat(brotli.headers).containsEntry("Content-Encoding", "br");
    assertThat(brotli.bytes()).hasSizeLessThan(gzip.bytes().length);
  }

  @Test
  void folderWithoutSlashIsRedirected() throws Exception {
    FakeResponse response = get("/page", Map.of());

    assertThat(response.code).isEqualTo(302);
    assertThat(response.headers).containsEntry("Location", "page/");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/page/../token",
        "/page/assets/../../token",
        "/page/files.list",
        "/page/index.html.gz",
        "/page/v1/other",
        "/page/assets/"
      })
  void otherPathIsNotFound(String path) throws Exception {
    assertThat(get(path, Map.of()).code).isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "TRACE"})
  void filesAreOnlyRead(String method) throws Exception {
    assertThat(page.send(method, "/page/", Page.OWN, "").code).isEqualTo(405);
  }
}
