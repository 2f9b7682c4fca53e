package dev.holdfast.apiserver.internal.auth;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.apiserver.internal.http.ApiException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * The spec of a SelfSubjectAccessReview in protobuf, which kubectl sends since 1.32. Reads only
 * those fields of {@code k8s.io/api/authorization/v1/generated.proto} that this server evaluates.
 */
final class ReviewBody {
  private static final byte[] MAGIC = {'k', '8', 's', 0};
  private static final int RAW = 2;
  private static final int SPEC = 2;
  private static final int LENGTH_DELIMITED = 2;
  private static final Map<Integer, String> RESOURCE =
      Map.of(2, "verb", 3, "group", 5, "resource", 6, "subresource", 7, "name");
  private static final Map<Integer, String> PATH = Map.of(1, "path", 2, "verb");

  private final byte[] bytes;
  private final int end;
  private int at;

  private ReviewBody(byte[] bytes, int at, int end) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  /**
   * Returns a review in the form of its JSON.
   *
   * @param body the body with one byte per character
   * @throws ApiException 400 if the message is malformed
   */
  static JsonNode parse(String body) throws ApiException {
    byte[] bytes = body.getBytes(StandardCharsets.ISO_8859_1);
    for (int i = 0; i < MAGIC.length; i++) {
      if (bytes.length <= i || bytes[i] != MAGIC[i]) {
        throw malformed();
      }
    }
    ObjectNode review = JsonNodeFactory.instance.objectNode();
    new ReviewBody(bytes, MAGIC.length, bytes.length)
        .fields(
            (number, raw) -> {
              if (number == RAW) {
                raw.fields((field, spec) -> readSpec(field, spec, review));
              }
            });
    return review;
  }

  private static void readSpec(int field, ReviewBody spec, ObjectNode review) throws ApiException {
    if (field == SPEC) {
      ObjectNode tree = review.putObject("spec");
      spec.fields(
          (kind, attributes) -> {
            if (kind == 1) {
              attributes.texts(RESOURCE, tree.putObject("resourceAttributes"));
            } else if (kind == 2) {
              attributes.texts(PATH, tree.putObject("nonResourceAttributes"));
            }
          });
    }
  }

  private void texts(Map<Integer, String> names, ObjectNode tree) throws ApiException {
    fields(
        (number, value) -> {
          if (names.containsKey(number)) {
            tree.put(names.get(number), value.text());
          }
        });
  }

  private String text() {
    return new String(bytes, at, end - at, StandardCharsets.UTF_8);
  }

  /** Receives the fields with bytes. */
  private interface Field {
    void take(int number, ReviewBody value) throws ApiException;
  }

  private void fields(Field field) throws ApiException {
    while (at < end) {
      int key = number();
      int length = number();
      if ((key & 7) != LENGTH_DELIMITED) {
        // A number, which is skipped because the required fields are texts and messages.
        continue;
      } else if (length > end - at) {
        throw malformed();
      }
      field.take(key >>> 3, new ReviewBody(bytes, at, at + length));
      at += length;
    }
  }

  private int number() throws ApiException {
    int value = 0;
    for (int shift = 0; shift < 28; shift += 7) {
      if (at >= end) {
        throw malformed();
      }
      int next = bytes[at++];
      value |= (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw malformed();
  }

  private static ApiException malformed() {
    return ApiException.badRequest("the body is not a review in protobuf");
  }
}
