package dev.holdfast.apiserver.internal.resources;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.apiserver.internal.http.ApiStatus;
import dev.holdfast.error.StorageException;
import dev.holdfast.http.PieceSource;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * {@code POST /apis/holdfast.dev/v1/watch}: one stream with the changes of several kinds. The body
 * is a list of {@code {id, kind, labelSelector, fieldSelector, resourceVersion}}; each line of the
 * answer is {@code {id, type, object}}. An entry without permission, or that cannot be watched,
 * receives a line of type ERROR with a Status; the others are watched. An expired entry receives a
 * line of type END with the version from which the client may watch again.
 */
public final class WatchRequests {
  private static final int MOST = 64;
  private static final int LONGEST_ID = 63;
  private static final List<String> SELECTION =
      List.of("labelSelector", "fieldSelector", "resourceVersion");
  private static final List<String> FIELDS =
      List.of("id", "kind", "labelSelector", "fieldSelector", "resourceVersion");
  private static final String JSON_LINES = "application/x-ndjson";

  private final ResourceReads reads;
  private final ObjectMapper mapper = new ObjectMapper();

  public WatchRequests(ResourceReads reads) {
    this.reads = reads;
  }

  /** Check of the caller's rights for one entry, as for a separate request. */
  @FunctionalInterface
  public interface AccessCheck {
    /**
     * Rejects a request without permission.
     *
     * @return an operator that ends a stream with the right of the caller
     */
    UnaryOperator<PieceSource> require(ApiRequest request) throws ApiException;
  }

  /** Starts the stream. */
  public ApiResponse open(ApiRequest request, ServedKinds kinds, AccessCheck access)
      throws ApiException {
    StringBuilder refused = new StringBuilder();
    List<PieceSource> watches = new ArrayList<>();
    for (Map.Entry<String, JsonNode> entry : entries(request).entrySet()) {
      ApiStatus failure;
      try {
        watches.add(watch(request, entry.getKey(), entry.getValue(), kinds, access));
        continue;
      } catch (ApiException e) {
        failure = e.status();
      } catch (StorageException e) {
        failure = ApiStatus.of(e);
      } catch (RuntimeException e) {
        watches.forEach(PieceSource::close);
        throw e;
      }
      ObjectNode line = mapper.createObjectNode();
      line.put("id", entry.getKey()).put("type", "ERROR").set("object", failure.tree());
      refused.append(line).append('\n');
    }
    return new ApiResponse.Streaming(
        JSON_LINES, new MultiplexedWatch(ApiResponse.bytes(refused.toString()), watches));
  }

  private Map<String, JsonNode> entries(ApiRequest request) throws ApiException {
    JsonNode body;
    try {
      body = mapper.readTree(request.body());
    } catch (JsonProcessingException e) {
      throw ApiException.badRequest("the body is not JSON: " + e.getOriginalMessage());
    }
    if (!body.isArray() || body.isEmpty() || body.size() > MOST) {
      throw ApiException.badRequest("the body must be a list of 1 to " + MOST + " watches");
    }
    Set<String> unknown = new TreeSet<>();
    Map<String, JsonNode> entries = new LinkedHashMap<>();
    for (int i = 0; i < body.size(); i++) {
      JsonNode entry = body.get(i);
      String id = entry.path("id").asText("");
      if (id.isEmpty() || id.length() > LONGEST_ID || entries.put(id, entry) != null) {
        throw ApiException.badRequest(
            "["
                + i
                + "].id must be a text of 1 to "
                + LONGEST_ID
                + " characters that no other has");
      }
      entry.fieldNames().forEachRemaining(unknown::add);
    }
    unknown.removeAll(FIELDS);
    if (!unknown.isEmpty()) {
      throw ApiException.badRequest("a watch has no field " + unknown + ": use one of " + FIELDS);
    }
    return entries;
  }

  private PieceSource watch(
      ApiRequest request, String id, JsonNode entry, ServedKinds kinds, AccessCheck access)
      throws ApiException, StorageException {
    String plural = entry.path("kind").asText("");
    Map<String, List<String>> query = new LinkedHashMap<>();
    query.put("watch", List.of("true"));
    query.put("allowWatchBookmarks", List.of("true"));
    for (String name : SELECTION) {
      if (entry.hasNonNull(name)) {
        query.put(name, List.of(entry.get(name).asText()));
      }
    }
    List<String> path = List.of("apis", ResourceKind.GROUP, ResourceKind.VERSION, plural);
    ApiRequest alone =
        ApiRequest.of("GET", path, query, request.headers(), request.source()).by(request.caller());
    UnaryOperator<PieceSource> bound = access.require(alone);
    Optional<ServedKind<?>> kind = plural.isEmpty() ? Optional.empty() : kinds.at(plural);
    if (kind.isEmpty()) {
      throw ApiException.notFound(alone.pathText());
    }
    return bound.apply(open(alone, kind.get(), id));
  }

  private <R extends Resource<R>> PieceSource open(ApiRequest alone, ServedKind<R> kind, String id)
      throws ApiException, StorageException {
    return reads.watch(alone, Selection.of(alone, kind), new View.Whole<>(kind), Optional.of(id));
  }
}
