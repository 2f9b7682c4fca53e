package dev.holdfast.apiserver.internal.resources;

import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.apiserver.internal.http.MediaType;
import dev.holdfast.resource.Resource;
import java.time.Clock;
import java.util.Optional;
import java.util.Set;

/** Selects the form of an answer by the Accept header. */
public final class Views {
  private static final Set<String> META_VERSIONS = Set.of("v1", "v1beta1");

  private final Clock clock;

  public Views(Clock clock) {
    this.clock = clock;
  }

  /** Returns the first accepted form that is supported. */
  <R extends Resource<R>> View<R> choose(ApiRequest request, ServedKind<R> kind)
      throws ApiException {
    for (MediaType type : MediaType.accepted(request)) {
      Optional<View<R>> view = view(type, request, kind);
      if (view.isPresent()) {
        return view.get();
      }
    }
    throw ApiException.notAcceptable(request.header("Accept").orElse(""));
  }

  private <R extends Resource<R>> Optional<View<R>> view(
      MediaType type, ApiRequest request, ServedKind<R> kind) throws ApiException {
    String as = type.parameter("as");
    if (!type.isJson()) {
      return Optional.empty();
    } else if (as.isEmpty()) {
      return Optional.of(new View.Whole<>(kind));
    }
    String version = type.parameter("v");
    if (!type.parameter("g").equals("meta.k8s.io") || !META_VERSIONS.contains(version)) {
      return Optional.empty();
    }
    return switch (as) {
      case "Table" -> Optional.of(new View.Table<>(kind, version, rowObject(request), clock));
      case "PartialObjectMetadata", "PartialObjectMetadataList" ->
          Optional.of(new View.Partial<>(kind, version));
      default -> Optional.empty();
    };
  }

  private static View.RowObject rowObject(ApiRequest request) throws ApiException {
    String choice = request.parameter("includeObject").orElse("Metadata");
    return switch (choice) {
      case "None" -> View.RowObject.NONE;
      case "Metadata" -> View.RowObject.METADATA;
      case "Object" -> View.RowObject.OBJECT;
      default ->
          throw ApiException.badRequest(
              "includeObject must be None, Metadata or Object, not \"" + choice + "\"");
    };
  }
}
