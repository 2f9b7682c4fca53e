package dev.holdfast.resource;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import org.osgi.annotation.versioning.ProviderType;

/**
 * The kinds that are present. In the container they come and go with the bundles that declare them.
 * Resources of an absent kind stay stored, and an absent kind says nothing about whether one of its
 * resources exists. Thread-safe.
 */
@ProviderType
public interface KindCatalogue {
  /**
   * Returns the kinds that are present now.
   *
   * @return an immutable list: the same one until a provider comes or goes; never null
   */
  List<ResourceKind<?>> kinds();

  /**
   * Returns the kind of a name.
   *
   * @param kind as in {@code kind:}, for example {@code Volume}
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
   * @param providers whose kinds it has; of two kinds with the same name it has the first
   * @return a catalogue that never changes
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
   * @return a catalogue that never changes
   */
  static KindCatalogue load() {
    return of(
        ServiceLoader.load(KindProvider.class, KindProvider.class.getClassLoader()).stream()
            .map(ServiceLoader.Provider::get)
            .toList());
  }
}
