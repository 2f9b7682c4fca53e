package dev.holdfast.page.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.page.contribution.PageContribution;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contributions of bundles: what browsers learn of them, and their files. */
class ContributionsTest {
  private static final Contribution.Origin FIRST =
      new Contribution.Origin("dev.example.first", "1.0.0", "1.0.0-a");
  private static final Contribution.Origin SECOND =
      new Contribution.Origin("dev.example.second", "2.0.0", "2.0.0-b");
  private static final String SCRIPT = "/page/plugins/memory/1.0.0-a/index.js";

  @TempDir private Path data;
  private final ManualClock clock = new ManualClock();
  private Page page;

  @BeforeEach
  void start() throws Exception {
    page = new Page(data, clock);
  }

  /** A contribution with files in memory. */
  private static class Files implements PageContribution {
    final Map<String, byte[]> files = new HashMap<>();
    private final String name;
    private final List<String> kinds;

    Files(String name, String... kinds) {
      this.name = name;
      this.kinds = List.of(kinds);
      files.put("index.js", "export default () => 1;".getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public List<String> kinds() {
      return kinds;
    }

    @Override
    public Optional<URL> resource(String path) {
      return Optional.ofNullable(files.get(path)).map(Files::address);
    }

    private static URL address(byte[] content) {
      URLStreamHandler handler =
          new URLStreamHandler() {
            @Override
            protected URLConnection openConnection(URL url) {
              return new URLConnection(url) {
                @Override
                public void connect() {}

                @Override
                public InputStream getInputStream() {
                  return new ByteArrayInputStream(content);
                }
              };
            }
          };
      try {
        return new URL("memory", "", -1, "", handler);
      } catch (MalformedURLException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private FakeResponse state(Map<String, String> headers) throws Exception {
    return page.send("GET", "/page/v1/state", headers, "");
  }

  private JsonNode listed() throws Exception {
    FakeResponse response =
        state(Page.with(Page.OWN, "Cookie", "__Host-holdfast=" + page.secret("view")));
    assertThat(response.code).isEqualTo(200);
    return response.json().path("contributions");
  }

  private FakeResponse get(String path) throws Exception {
    return page.send("GET", path, Map.of(), "");
  }

  @Test
  void signedInBrowserLearnsWhatTheNodeShows() throws Exception {
    page.contributions.add(new Files("memory", "volumes"), FIRST);

    assertThat(listed().toString())
        .isEqualTo(
            "[{\"name\":\"memory\",\"bundle\":\"dev.example.first\",\"version\":\"1.0.0\","
                + "\"revision\":\"1.0.0-a\",\"entry\":\"index.js\",\"kinds\":[\"volumes\"]}]");
  }

  @Test
  void browserWithoutASessionLearnsNothing() throws Exception {
    page.contributions.add(new Files("memory", "volumes"), FIRST);

    FakeResponse response = state(Map.of());

    assertThat(response.code).isEqualTo(401);
    assertThat(response.json().has("contributions")).isFalse();
  }

  @Test
  void pageThatOnlyAsksForTheStateDoesNotKeepItsSession() throws Exception {
    Map<String, String> headers =
        Page.with(Page.OWN, "Cookie", "__Host-holdfast=" + page.secret("admin"));
    clock.advance(SessionTable.IDLE.minusSeconds(1));
    assertThat(state(headers).code).isEqualTo(200);
    clock.advance(SessionTable.IDLE.minusSeconds(1));

    assertThat(state(headers).code).isEqualTo(401);
  }

  @Test
  void fileIsServedWithThePolicyAndKept() throws Exception {
    page.contributions.add(new Files("memory", "volumes"), FIRST);

    FakeResponse response = get(SCRIPT);

    assertThat(response.code).isEqualTo(200);
    assertThat(new String(response.bytes(), StandardCharsets.UTF_8)).startsWith("export default");
    assertThat(response.headers.get("Content-Security-Policy")).contains("script-src 'self';");
    assertThat(response.headers.get("Cache-Control")).contains("immutable");
    assertThat(response.headers).containsEntry("X-Content-Type-Options", "nosniff");
  }

  @Test
  void formerRevisionIsNotServed() throws Exception {
    Files former = new Files("memory", "volumes");
    page.contributions.add(former, FIRST);
    page.contributions.remove(former);
    assertThat(listed()).isEmpty();
    page.contributions.add(new Files("memory", "volumes"), SECOND);

    assertThat(get(SCRIPT).code).isEqualTo(404);
    assertThat(get("/page/plugins/memory/2.0.0-b/index.js").code).isEqualTo(200);
  }

  @Test
  void laterContributionOfTheSameNameWaitsForTheFirstToLeave() throws Exception {
    Files first = new Files("memory", "volumes");
    page.contributions.add(first, FIRST);
    page.contributions.add(new Files("memory", "snapshots"), SECOND);

    assertThat(listed()).hasSize(1);
    assertThat(listed().at("/0/bundle").asText()).isEqualTo("dev.example.first");

    page.contributions.remove(first);

    assertThat(listed().at("/0/bundle").asText()).isEqualTo("dev.example.second");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Upper", "a/b", "..", "<img>", "-a", "a-", "a b"})
  void badNameIsRefused(String name) throws Exception {
    page.contributions.add(new Files(name, "volumes"), FIRST);

    assertThat(listed()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Volumes", "a/b", "volumes/status"})
  void badKindIsRefused(String kind) throws Exception {
    page.contributions.add(new Files("memory", kind), FIRST);

    assertThat(listed()).isEmpty();
  }

  @Test
  void contributionThatThrowsDoesNotHideOthers() throws Exception {
    page.contributions.add(
        new Files("broken") {
          @Override
          public List<String> kinds() {
            throw new IllegalStateException("planted");
          }
        },
        FIRST);
    page.contributions.add(new Files("memory", "volumes"), SECOND);

    assertThat(listed()).hasSize(1);
  }

  @Test
  void fileThatCannotBeReadIsAnErrorOfItsContribution() throws Exception {
    page.contributions.add(
        new Files("memory", "volumes") {
          @Override
          public Optional<URL> resource(String path) {
            throw new IllegalStateException("planted");
          }
        },
        FIRST);

    FakeResponse response = get(SCRIPT);

    assertThat(response.code).isEqualTo(500);
    assertThat(response.json().path("message").asText())
        .startsWith("contribution memory: index.js cannot be read");
  }

  @Test
  void fileThatIsTooLargeIsRefused() throws Exception {
    Files large = new Files("memory", "volumes");
    large.files.put("large.js", new byte[ContributionFiles.LARGEST + 1]);
    large.files.put("largest.js", new byte[ContributionFiles.LARGEST]);
    page.contributions.add(large, FIRST);

    assertThat(get("/page/plugins/memory/1.0.0-a/large.js").code).isEqualTo(500);
    assertThat(get("/page/plugins/memory/1.0.0-a/largest.js").code).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/page/plugins",
        "/page/plugins/memory",
        "/page/plugins/memory/1.0.0-a",
        "/page/plugins/memory/1.0.0-a/absent.js",
        "/page/plugins/memory/1.0.0-a/../index.js",
        "/page/plugins/memory/1.0.0-a/.hidden.js",
        "/page/plugins/memory/1.0.0-a/Memory.class",
        "/page/plugins/other/1.0.0-a/index.js"
      })
  void otherPathIsNotFound(String path) throws Exception {
    Files memory =
        new Files("memory", "volumes") {
          @Override
          public Optional<URL> resource(String asked) {
            return asked.equals("absent.js") ? Optional.empty() : super.resource("index.js");
          }
        };
    page.contributions.add(memory, FIRST);

    assertThat(get(path).code).isEqualTo(404);
  }

  @Test
  void defaultsReadFromTheFolderOfTheBundle() throws IOException {
    PageContribution defaults =
        new PageContribution() {
          @Override
          public String name() {
            return "defaults";
          }

          @Override
          public List<String> kinds() {
            return List.of();
          }
        };

    assertThat(defaults.entryModule()).isEqualTo("index.js");
    assertThat(defaults.resource("absent.js")).isEmpty();
  }
}
