package dev.holdfast.upgrader.internal;

import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;
import org.osgi.service.component.runtime.ServiceComponentRuntime;
import org.osgi.service.component.runtime.dto.ComponentConfigurationDTO;
import org.osgi.service.component.runtime.dto.ComponentDescriptionDTO;

/** Checks whether a bundle does the work of its predecessor. Thread-safe. */
final class BundleHealth {
  private final BundleContext context;
  private final BundleTroubleIndex troubles;

  BundleHealth(BundleContext context) {
    this.context = context;
    this.troubles = new BundleTroubleIndex(context);
  }

  /** Returns the names of a bundle's satisfied components. */
  Set<String> satisfied(Bundle bundle) {
    Set<String> names = new TreeSet<>();
    withComponents(
        runtime -> {
          for (ComponentDescriptionDTO component : runtime.getComponentDescriptionDTOs(bundle)) {
            if (isSatisfied(runtime.getComponentConfigurationDTOs(component))) {
              names.add(component.name);
            }
          }
        });
    return names;
  }

  private static boolean isSatisfied(Collection<ComponentConfigurationDTO> configurations) {
    return configurations.stream()
        .anyMatch(
            one ->
                one.state == ComponentConfigurationDTO.ACTIVE
                    || one.state == ComponentConfigurationDTO.SATISFIED);
  }

  /**
   * Returns the present fault of a bundle.
   *
   * @param expected components that worked before the replacement; ignores components that the
   *     bundle no longer declares
   */
  Optional<String> trouble(Bundle bundle, Set<String> expected) {
    if (bundle.getState() != Bundle.ACTIVE) {
      return Optional.of(text(bundle) + " is not active");
    }
    Set<String> problems = new TreeSet<>();
    withComponents(
        runtime -> {
          for (ComponentDescriptionDTO component : runtime.getComponentDescriptionDTOs(bundle)) {
            Collection<ComponentConfigurationDTO> states =
                runtime.getComponentConfigurationDTOs(component);
            failure(states).ifPresent(why -> problems.add(component.name + " failed: " + why));
            if (expected.contains(component.name) && !isSatisfied(states)) {
              problems.add(component.name + " lacks something that it needs");
            }
          }
        });
    return problems.isEmpty()
        ? troubles.of(bundle.getBundleId())
        : Optional.of(text(bundle) + ": " + String.join("; ", problems));
  }

  private static Optional<String> failure(Collection<ComponentConfigurationDTO> configurations) {
    return configurations.stream()
        .filter(one -> one.state == ComponentConfigurationDTO.FAILED_ACTIVATION)
        .map(one -> String.valueOf(one.failure).lines().findFirst().orElse("for unknown reasons"))
        .findFirst();
  }

  private static String text(Bundle bundle) {
    return bundle.getSymbolicName() + " " + bundle.getVersion();
  }

  /** An action that runs while the component runtime is present. */
  private interface Look {
    void at(ServiceComponentRuntime runtime);
  }

  private void withComponents(Look look) {
    ServiceReference<ServiceComponentRuntime> found =
        context.getServiceReference(ServiceComponentRuntime.class);
    if (found == null) {
      return;
    }
    ServiceComponentRuntime runtime = context.getService(found);
    if (runtime != null) {
      try {
        look.at(runtime);
      } finally {
        context.ungetService(found);
      }
    }
  }
}
