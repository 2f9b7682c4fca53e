package dev.holdfast.apiserver.internal.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.resource.KindCatalogue;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Everything that the page's build knows of the API is there: a renamed or removed field fails
 * here, and after an update of the file it fails the page's build where the page uses it. A new
 * field needs no update.
 */
class PageSchemasTest {
  private static final Path FILE = Path.of("../../../ui/src/page/api/openapi.json");

  private final ObjectMapper mapper = new ObjectMapper();

  private ObjectNode schemas() throws Exception {
    OpenApi openApi = new OpenApi("page", KindCatalogue.load());
    ApiResponse.Content content =
        (ApiResponse.Content)
            openApi
                .document(List.of("v3", "apis", "holdfast.dev", "v1"), "application/json")
                .orElseThrow();
    byte[] bytes = new byte[content.body().remaining()];
    content.body().duplicate().get(bytes);
    ObjectNode document = (ObjectNode) mapper.readTree(bytes);
    // The page's build reads types only, so that a better description does not change the file.
    document.putObject("paths");
    withoutDescriptions(document);
    return document;
  }

  private static void withoutDescriptions(JsonNode node) {
    if (node instanceof ObjectNode object && object.path("description").isTextual()) {
      object.remove("description");
    }
    node.forEach(PageSchemasTest::withoutDescriptions);
  }

  /** Lists the paths at which the API lacks something of the file. */
  private static List<String> missing(JsonNode known, JsonNode api, String path) {
    if (known.isObject() && api.isObject()) {
      return known.properties().stream()
          .flatMap(
              entry ->
                  missing(entry.getValue(), api.path(entry.getKey()), path + "/" + entry.getKey())
                      .stream())
          .toList();
    }
    if (known.isArray() && api.isArray()) {
      Set<JsonNode> present = new HashSet<>();
      api.forEach(present::add);
      List<String> absent = new ArrayList<>();
      known.forEach(value -> absent.addAll(present.contains(value) ? List.of() : List.of(path)));
      return absent;
    }
    return known.equals(api) ? List.of() : List.of(path);
  }

  @Test
  void apiHasAllFieldsThatThePageUses() throws Exception {
    ObjectNode api = schemas();
    if (Boolean.getBoolean("page.schemas.write")) {
      Files.writeString(
          FILE, mapper.writerWithDefaultPrettyPrinter().writeValueAsString(api) + "\n");
    }
    JsonNode known = mapper.readTree(Files.readString(FILE));
    assertThat(known.at("/components/schemas")).isNotEmpty();
    assertThat(missing(known, api, ""))
        .as("%s is out of date: run this test with -Dpage.schemas.write=true", FILE)
        .isEmpty();
  }

  @Test
  void removedFieldIsFound() throws Exception {
    ObjectNode api = schemas();
    ((ObjectNode) api.at("/components/schemas/dev.holdfast.v1.VolumeSpec/properties"))
        .remove("size");
    assertThat(missing(schemas(), api, ""))
        .containsExactly("/components/schemas/dev.holdfast.v1.VolumeSpec/properties/size");
  }
}
