package dev.holdfast.apiserver.internal.resources;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.http.PieceSource;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.WatchEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WatchStreamTest {
  private static final WatchSettings SETTINGS =
      new WatchSettings(3, Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofMinutes(1));

  private final ServedKind<Setting> kind = ServedKind.of(Setting.KIND, new ResourceJson());

  private static Setting setting(String name, int version, String tier) {
    Setting setting = Setting.of(name, new SettingSpec("x"));
    return setting.withMetadata(
        setting
            .metadata()
            .withResourceVersion(Integer.toString(version))
            .withLabels(tier.isEmpty() ? Map.of() : Map.of("tier", tier)));
  }

  private WatchStream<Setting> stream(String query, WatchStream.Options options)
      throws ApiException {
    Map<String, List<String>> parameters =
        query.isEmpty()
            ? Map.of()
            : Map.of(query.split("=", 2)[0], List.of(query.split("=", 2)[1]));
    ApiRequest request = ApiRequest.of("GET", List.of(), parameters, name -> Optional.empty(), "");
    Selection<Setting> selection = Selection.of(request, kind);
    return new WatchStream<>(selection, new View.Whole<>(kind), SETTINGS, options, "5");
  }

  private static void tell(WatchStream<Setting> stream, WatchEvent.Type type, Setting setting) {
    stream.changed(new WatchEvent<>(type, setting));
  }

  /** Everything that is written until the store ends the watch, as type and name. */
  private static List<String> written(WatchStream<Setting> stream) throws Exception {
    stream.ended(new StorageException(ErrorCode.UNREACHABLE, "gone"));
    stream.open(() -> {});
    StringBuilder out = new StringBuilder();
    PieceSource.Piece piece = stream.next();
    while (!piece.last()) {
      out.append(UTF_8.decode(piece.bytes()));
      piece = stream.next();
    }
    out.append(UTF_8.decode(piece.bytes()));
    List<String> events = new ArrayList<>();
    for (String line : out.toString().split("\n", -1)) {
      if (!line.isBlank()) {
        JsonNode event = new ObjectMapper().readTree(line);
        JsonNode object = event.path("object");
        String what =
            object.path("kind").asText().equals("Status")
                ? object.path("reason").asText()
                : object.at("/metadata/name").asText();
        events.add((event.path("type").asText() + " " + what).strip());
      }
    }
    return events;
  }

  private static final WatchStream.Options PLAIN =
      new WatchStream.Options(false, false, 0, Optional.empty());

  @Test
  void changesAreReportedUnmodified() throws Exception {
    WatchStream<Setting> stream = stream("", PLAIN);
    tell(stream, WatchEvent.Type.ADDED, setting("a", 6, ""));
    tell(stream, WatchEvent.Type.MODIFIED, setting("a", 7, ""));
    tell(stream, WatchEvent.Type.DELETED, setting("a", 8, ""));
    assertThat(written(stream))
        .containsExactly("ADDED a", "MODIFIED a", "DELETED a", "ERROR ServiceUnavailable");
  }

  @Test
  void resourceThatBeginsOrCeasesToMatchIsReportedAsAddedOrDeleted() throws Exception {
    WatchStream<Setting> stream = stream("labelSelector=tier=gold", PLAIN);
    Setting in = setting("in", 3, "gold");
    Setting out = setting("out", 4, "");
    stream.startAfter(new ResourceList<>(List.of(in, out), "5"), true);
    tell(stream, WatchEvent.Type.MODIFIED, setting("in", 6, ""));
    tell(stream, WatchEvent.Type.MODIFIED, setting("out", 7, "gold"));
    tell(stream, WatchEvent.Type.MODIFIED, setting("in", 8, ""));
    assertThat(written(stream))
        .containsExactly("ADDED in", "DELETED in", "ADDED out", "ERROR ServiceUnavailable");
  }

  @Test
  void resourceThatNeverMatchedIsNotReportedAsDeleted() throws Exception {
    WatchStream<Setting> stream = stream("labelSelector=tier=gold", PLAIN);
    stream.learn(new ResourceList<>(List.of(setting("out", 4, "")), "5"));
    tell(stream, WatchEvent.Type.MODIFIED, setting("out", 6, ""));
    tell(stream, WatchEvent.Type.DELETED, setting("out", 7, ""));
    assertThat(written(stream)).containsExactly("ERROR ServiceUnavailable");
  }

  @Test
  void resourceThatTheClientMayHaveIsReportedAsDeleted() throws Exception {
    WatchStream<Setting> stream = stream("labelSelector=tier=gold", PLAIN);
    stream.learn(new ResourceList<>(List.of(setting("left", 6, "")), "6"));
    tell(stream, WatchEvent.Type.MODIFIED, setting("left", 6, ""));
    assertThat(written(stream)).containsExactly("DELETED left", "ERROR ServiceUnavailable");
  }

  @Test
  void watchOfOneNameReportsNoOtherResource() throws Exception {
    WatchStream<Setting> stream = stream("fieldSelector=metadata.name=a", PLAIN);
    tell(stream, WatchEvent.Type.MODIFIED, setting("b", 6, ""));
    tell(stream, WatchEvent.Type.DELETED, setting("b", 7, ""));
    tell(stream, WatchEvent.Type.DELETED, setting("a", 8, ""));
    assertThat(written(stream)).containsExactly("DELETED a", "ERROR ServiceUnavailable");
  }

  @Test
  void slowClientGetsPendingEventsAndThenExpired() throws Exception {
    WatchStream<Setting> stream = stream("", PLAIN);
    for (int i = 0; i < 5; i++) {
      tell(stream, WatchEvent.Type.ADDED, setting("a" + i, 6 + i, ""));
    }
    assertThat(written(stream))
        .containsExactly("ADDED a0", "ADDED a1", "ADDED a2", "ERROR Expired");
  }

  @Test
  void theEndOfTheInitialEventsIsMarked() throws Exception {
    WatchStream<Setting> stream =
        stream("", new WatchStream.Options(true, true, 0, Optional.empty()));
    stream.startAfter(new ResourceList<>(List.of(setting("a", 3, "")), "5"), true);
    assertThat(written(stream)).containsExactly("ADDED a", "BOOKMARK", "ERROR ServiceUnavailable");
  }
}
