package dev.holdfast.apiserver.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.holdfast.apiserver.internal.auth.RequestReader;
import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.apiserver.internal.resources.RequestBodies;
import dev.holdfast.apiserver.internal.resources.ServedKind;
import dev.holdfast.apiserver.internal.resources.ServedKinds;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.store.ResourceStore;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Supplies the names and labels on which the decision about a request depends. */
final class ResourceObjects implements RequestReader.Objects {
  private static final Logger LOG = LoggerFactory.getLogger(ResourceObjects.class);

  private final RequestBodies bodies;
  private final ServedKinds kinds;
  private final ResourceStore store;

  ResourceObjects(RequestBodies bodies, ServedKinds kinds, ResourceStore store) {
    this.bodies = bodies;
    this.kinds = kinds;
    this.store = store;
  }

  @Override
  public JsonNode body(ApiRequest request) {
    try {
      return bodies.json(request);
    } catch (ApiException e) {
      // The reader of the resource reports the error.
      return JsonNodeFactory.instance.objectNode();
    }
  }

  @Override
  public Map<String, String> labels(String plural, String name) {
    Optional<ServedKind<?>> kind = kinds.at(plural);
    return kind.isEmpty() ? Map.of() : stored(kind.get(), name);
  }

  private <R extends Resource<R>> Map<String, String> stored(ServedKind<R> kind, String name) {
    try {
      return store.get(kind.kind(), name).map(found -> found.metadata().labels()).orElse(Map.of());
    } catch (StorageException e) {
      LOG.debug("{} {}: could not read its labels", kind.kind().plural(), name, e);
      return Map.of();
    }
  }
}
