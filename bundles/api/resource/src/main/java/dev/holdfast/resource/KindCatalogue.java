package dev.holdfast.resource;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import org.osgi.annotation.versioning.ProviderType;

/**
 * The kinds that are present. In the container the kinds change with the bundles that declare them.
 * Resources of an absent kind remain stored. The absence of a kind therefore does not mean that its
 * resources do not exist. Thread-safe.
 */
@ProviderType
public interface KindCatalogue {
  /**
   * Returns the kinds that are present now.
   *
   * @return an immutable list, the same object until a provider is added or removed; never null
   */
  List<ResourceKind<?>> kinds();

  /**
   * Returns the kind of a name.
   *
   * @param kind name as in {@code kind:}, for example {@code Volume}
   * @return empty when no present bundle declares the kind
   */
  default Optional<ResourceKind<?>> named(String kind) {
    for (ResourceKind<?> present : kinds()) {
      if (present.kind().equals(kind)) {
        return Optional.of(present);
      }
    }
    return Optional.empty();
  }

  /**
   * Returns the catalogue of some providers.
   *
   * @param providers providers of the kinds; the first of two kinds with the same name is used
   * @return an immutable catalogue
   */
  static KindCatalogue of(List<? extends KindProvider> providers) {
    List<ResourceKind<?>> kinds = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (KindProvider provider : providers) {
      for (ResourceKind<?> kind : provider.kinds()) {
        if (names.add(kind.kind())) {
          kinds.add(kind);
        }
      }
    }
    List<ResourceKind<?>> present = List.copyOf(kinds);
    return () -> present;
  }

  /**
   * Returns the catalogue of all providers on the class path: for programs and tests outside the
   * container. In the container use the service.
   *
   * @return an immutable catalogue
   */
  static KindCatalogue load() {
    return of(
        ServiceLoader.load(KindProvider.class, KindProvider.class.getClassLoader()).stream()
            .map(ServiceLoader.Provider::get)
            .toList());
  }
}
