package dev.holdfast.apiserver.internal.openapi;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.Descriptions;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * The OpenAPI description of the API, for {@code kubectl explain} and for client-side validation.
 */
public final class OpenApi {
  private static final String PROTOBUF = "+protobuf";
  // Clients request "v2@v1.0", which is not a valid media type; servers answer with this type.
  private static final String PROTOBUF_ANSWER =
      "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
  private static final String GROUP_PATH = "apis/" + ResourceKind.API_VERSION;

  private final String version;
  private final KindCatalogue catalogue;
  private volatile Documents documents;

  /**
   * Creates the description and its documents.
   *
   * @param version of Holdfast
   * @param catalogue catalogue of the described kinds
   */
  public OpenApi(String version, KindCatalogue catalogue) {
    this.version = version;
    this.catalogue = catalogue;
    this.documents = Documents.of(version, catalogue.kinds());
  }

  /** The documents for one set of present kinds. */
  private record Documents(
      List<ResourceKind<?>> kinds,
      ByteBuffer second,
      ByteBuffer secondAsProtobuf,
      ByteBuffer third,
      ByteBuffer index) {
    static Documents of(String version, List<ResourceKind<?>> kinds) {
      Descriptions descriptions = new Descriptions();
      ObjectNode swagger = header(version);
      swagger.put("swagger", "2.0");
      Schemas definitions = new Schemas(kinds, descriptions, "#/definitions/", false);
      swagger.set("paths", new Operations(kinds, definitions, false).paths());
      swagger.set("definitions", definitions.all());

      ObjectNode openApi = header(version);
      openApi.put("openapi", "3.0.0");
      Schemas components = new Schemas(kinds, descriptions, "#/components/schemas/", true);
      openApi.set("paths", new Operations(kinds, components, true).paths());
      openApi.putObject("components").set("schemas", components.all());
      ByteBuffer third = ApiResponse.bytes(openApi.toString());
      return new Documents(
          kinds,
          ApiResponse.bytes(swagger.toString()),
          ByteBuffer.wrap(SwaggerProtobuf.encode(swagger)).asReadOnlyBuffer(),
          third,
          ApiResponse.bytes(OpenApi.index(third).toString()));
    }
  }

  private Documents documents() {
    List<ResourceKind<?>> kinds = catalogue.kinds();
    Documents current = documents;
    if (!kinds.equals(current.kinds())) {
      current = Documents.of(version, kinds);
      documents = current;
    }
    return current;
  }

  private static ObjectNode header(String version) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.putObject("info").put("title", "Holdfast").put("version", version);
    return node;
  }

  private static ObjectNode index(ByteBuffer document) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.putObject("paths")
        .putObject(GROUP_PATH)
        .put("serverRelativeURL", "/openapi/v3/" + GROUP_PATH + "?hash=" + hash(document));
    return node;
  }

  private static String hash(ByteBuffer document) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(document.duplicate());
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Returns a document.
   *
   * @param path below {@code /openapi}
   * @param accept the Accept header
   * @return empty if the path is unknown
   */
  public Optional<ApiResponse> document(List<String> path, String accept) {
    Documents current = documents();
    return switch (String.join("/", path)) {
      case "v2" ->
          Optional.of(
              accept.contains(PROTOBUF)
                  ? answer(PROTOBUF_ANSWER, current.secondAsProtobuf())
                  : answer(ApiResponse.JSON, current.second()));
      case "v3" -> Optional.of(answer(ApiResponse.JSON, current.index()));
      case "v3/" + GROUP_PATH -> Optional.of(answer(ApiResponse.JSON, current.third()));
      default -> Optional.empty();
    };
  }

  private static ApiResponse answer(String type, ByteBuffer body) {
    return new ApiResponse.Content(200, type, body, List.of());
  }
}
