package dev.holdfast.apiserver.internal.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.ResourceKind;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OpenApiTest {
  private final OpenApi openApi = new OpenApi("0.1.0", KindCatalogue.load());

  private JsonNode document(String... path) throws Exception {
    ApiResponse.Content content =
        (ApiResponse.Content) openApi.document(List.of(path), "application/json").orElseThrow();
    byte[] bytes = new byte[content.body().remaining()];
    content.body().duplicate().get(bytes);
    return new ObjectMapper().readTree(bytes);
  }

  private static void requireReferences(JsonNode node, JsonNode document) {
    JsonNode reference = node.path("$ref");
    if (reference.isTextual()) {
      assertThat(document.at(reference.asText().substring(1)).isObject())
          .as(reference.asText())
          .isTrue();
    }
    node.forEach(child -> requireReferences(child, document));
  }

  @Test
  void everyReferenceLeadsSomewhere() throws Exception {
    JsonNode second = document("v2");
    requireReferences(second, second);
    JsonNode third = document("v3", "apis", "holdfast.dev", "v1");
    requireReferences(third, third);
  }

  @Test
  void everyKindAndFieldIsDescribed() throws Exception {
    for (Map.Entry<String, JsonNode> schema : document("v2").path("definitions").properties()) {
      assertThat(schema.getValue().path("description").asText()).as(schema.getKey()).isNotEmpty();
      for (Map.Entry<String, JsonNode> field : schema.getValue().path("properties").properties()) {
        assertThat(field.getValue().path("description").asText())
            .as(schema.getKey() + "." + field.getKey())
            .isNotEmpty();
      }
    }
  }

  @Test
  void kindsAreMarkedWithTheirNames() throws Exception {
    JsonNode schemas = document("v3", "apis", "holdfast.dev", "v1").at("/components/schemas");
    for (ResourceKind<?> kind : KindCatalogue.load().kinds()) {
      JsonNode names = schemas.path("dev.holdfast.v1." + kind.kind()).path(Schemas.GVK).path(0);
      assertThat(names.path("kind").asText()).isEqualTo(kind.kind());
      assertThat(names.path("group").asText()).isEqualTo("holdfast.dev");
    }
    assertThat(schemas.at("/dev.holdfast.v1.VolumeSpec/properties/accessMode/enum"))
        .extracting(JsonNode::asText)
        .containsExactly("rwo", "rwx", "rox");
  }

  @Test
  void patchesAreMarkedAsUnderstandingDryRunAndFieldValidation() throws Exception {
    JsonNode patch =
        document("v3", "apis", "holdfast.dev", "v1")
            .path("paths")
            .path("/apis/holdfast.dev/v1/volumes/{name}")
            .path("patch");
    assertThat(patch.path("parameters"))
        .extracting(p -> p.path("name").asText())
        .contains("dryRun", "fieldValidation");
  }

  @Test
  void theIndexNamesTheGroup() throws Exception {
    JsonNode group = document("v3").path("paths").path("apis/holdfast.dev/v1");
    assertThat(group.path("serverRelativeURL").asText())
        .startsWith("/openapi/v3/apis/holdfast.dev/v1?hash=");
    assertThat(openApi.document(List.of("v4"), "")).isEmpty();
  }

  @Test
  void protobufFollowsItsEncoding() {
    byte[] message =
        new ProtobufMessage()
            .text(1, "testing")
            .text(2, "")
            .flag(3, true)
            .message(16, new ProtobufMessage().text(1, "x".repeat(200)))
            .toBytes();
    assertThat(HexFormat.of().formatHex(message))
        .startsWith("0a0774657374696e67" + "1801" + "8201cb01" + "0ac801" + "7878");
  }
}
