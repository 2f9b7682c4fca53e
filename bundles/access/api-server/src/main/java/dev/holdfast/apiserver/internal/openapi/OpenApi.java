package dev.holdfast.apiserver.internal.openapi;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.Descriptions;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** The API's own description: for {@code kubectl explain}, and for checks before sending. */
public final class OpenApi {
  private static final String PROTOBUF = "+protobuf";
  // Clients ask for "v2@v1.0", which is not a valid media type; servers answer with this.
  private static final String PROTOBUF_ANSWER =
      "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
  private static final String GROUP_PATH = "apis/" + ResourceKind.API_VERSION;

  private final ByteBuffer second;
  private final ByteBuffer secondAsProtobuf;
  private final ByteBuffer third;
  private final ByteBuffer index;

  /** Makes all documents. */
  public OpenApi(String version) {
    Descriptions descriptions = new Descriptions();
    ObjectNode swagger = header(version);
    swagger.put("swagger", "2.0");
    Schemas definitions = new Schemas(descriptions, "#/definitions/", false);
    swagger.set("paths", new Operations(definitions, false).paths());
    swagger.set("definitions", definitions.all());
    this.second = ApiResponse.bytes(swagger.toString());
    this.secondAsProtobuf = ByteBuffer.wrap(SwaggerProtobuf.encode(swagger)).asReadOnlyBuffer();

    ObjectNode openApi = header(version);
    openApi.put("openapi", "3.0.0");
    Schemas components = new Schemas(descriptions, "#/components/schemas/", true);
    openApi.set("paths", new Operations(components, true).paths());
    openApi.putObject("components").set("schemas", components.all());
    this.third = ApiResponse.bytes(openApi.toString());
    this.index = ApiResponse.bytes(index(third).toString());
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
   * @return empty when there is none at the path
   */
  public Optional<ApiResponse> document(List<String> path, String accept) {
    String text = String.join("/", path);
    if (text.equals("v2")) {
      boolean protobuf = accept.contains(PROTOBUF);
      return Optional.of(
          protobuf ? answer(PROTOBUF_ANSWER, secondAsProtobuf) : answer(ApiResponse.JSON, second));
    } else if (text.equals("v3")) {
      return Optional.of(answer(ApiResponse.JSON, index));
    }
    return text.equals("v3/" + GROUP_PATH)
        ? Optional.of(answer(ApiResponse.JSON, third))
        : Optional.empty();
  }

  private static ApiResponse answer(String type, ByteBuffer body) {
    return new ApiResponse.Content(200, type, body, List.of());
  }
}
