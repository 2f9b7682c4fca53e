package dev.holdfast.apiserver.internal.resources;

import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.ResourceJson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The kinds that the API serves: the present kinds of the catalogue. Thread-safe. */
public final class ServedKinds {
  private final KindCatalogue catalogue;
  private final ResourceJson json;
  private volatile Served served;

  private record Served(List<ResourceKind<?>> kinds, Map<String, ServedKind<?>> byPlural) {}

  /**
   * Creates the view of a catalogue.
   *
   * @param catalogue of the kinds
   * @param json converts resources to JSON
   */
  public ServedKinds(KindCatalogue catalogue, ResourceJson json) {
    this.catalogue = catalogue;
    this.json = json;
    this.served = serve(catalogue.kinds());
  }

  private Served serve(List<ResourceKind<?>> kinds) {
    Map<String, ServedKind<?>> byPlural = new LinkedHashMap<>();
    kinds.forEach(kind -> byPlural.put(kind.plural(), ServedKind.of(kind, json)));
    return new Served(kinds, byPlural);
  }

  /**
   * Returns the kind at a path.
   *
   * @param plural as in URLs
   * @return empty when no present bundle declares the kind
   */
  public Optional<ServedKind<?>> at(String plural) {
    List<ResourceKind<?>> kinds = catalogue.kinds();
    Served current = served;
    if (!kinds.equals(current.kinds())) {
      current = serve(kinds);
      served = current;
    }
    return Optional.ofNullable(current.byPlural().get(plural));
  }
}
