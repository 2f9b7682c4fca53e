package dev.holdfast.apiserver.internal.resources;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.apiserver.internal.http.Target;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.ResourceStore;

/**
 * The subresource {@code volumes/scale}, by which {@code kubectl scale} reads and sets the number
 * of replicas: a document Scale of {@code autoscaling/v1}.
 */
public final class VolumeScale {
  static final String SUBRESOURCE = "scale";

  private static final String REPLICAS = "replicas";

  private final ResourceStore store;
  private final RequestBodies bodies;
  private final ResourceWrites writes;
  private final ResourcePatches patches;

  public VolumeScale(
      ResourceStore store, RequestBodies bodies, ResourceWrites writes, ResourcePatches patches) {
    this.store = store;
    this.bodies = bodies;
    this.writes = writes;
    this.patches = patches;
  }

  ApiResponse answer(ApiRequest request, String name) throws ApiException, StorageException {
    Volume present =
        store
            .get(Volume.KIND, name)
            .orElseThrow(() -> ApiException.notFound(Target.of(Volume.KIND, name)));
    return switch (request.method()) {
      case "GET" -> ApiResponse.json(document(present));
      case "PUT" -> write(request, present, bodies.parse(request));
      case "PATCH" -> write(request, present, patches.patched(request, document(present), present));
      default -> throw ApiException.methodNotAllowed(request.method(), request.pathText());
    };
  }

  private ApiResponse write(ApiRequest request, Volume present, JsonNode scale)
      throws ApiException, StorageException {
    JsonNode replicas = scale.at("/spec/" + REPLICAS);
    if (!replicas.isInt()) {
      throw ApiException.unprocessable(
          Target.of(Volume.KIND, present.name()),
          "spec.replicas: \"" + replicas.asText("") + "\": must be a number of replicas");
    }
    String version = scale.at("/metadata/resourceVersion").asText("");
    Volume wanted = present.withSpec(present.spec().withNumberOfReplicas(replicas.intValue()));
    if (!version.isEmpty()) {
      wanted = wanted.withMetadata(wanted.metadata().withResourceVersion(version));
    }
    return ApiResponse.json(
        document(writes.write(request, Volume.KIND, present.name(), wanted, false)));
  }

  private static ObjectNode document(Volume volume) {
    ObjectNode scale = JsonNodeFactory.instance.objectNode();
    scale.put("kind", "Scale").put("apiVersion", "autoscaling/v1");
    scale
        .putObject("metadata")
        .put("name", volume.name())
        .put("uid", volume.metadata().uid())
        .put("resourceVersion", volume.metadata().resourceVersion());
    scale.putObject("spec").put(REPLICAS, volume.spec().numberOfReplicas().intValue());
    scale.putObject("status").put(REPLICAS, volume.status().replicas().size());
    return scale;
  }
}
