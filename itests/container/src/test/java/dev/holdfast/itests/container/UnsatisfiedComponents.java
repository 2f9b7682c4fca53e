package dev.holdfast.itests.container;

import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.osgi.service.component.runtime.ServiceComponentRuntime;
import org.osgi.service.component.runtime.dto.ComponentConfigurationDTO;
import org.osgi.service.component.runtime.dto.ComponentDescriptionDTO;

/** The components of declarative services that do not run, each with what it lacks. */
final class UnsatisfiedComponents {
  private static final Set<Integer> RUNNING =
      Set.of(ComponentConfigurationDTO.ACTIVE, ComponentConfigurationDTO.SATISFIED);

  private UnsatisfiedComponents() {}

  static Map<String, String> of(ServiceComponentRuntime runtime) {
    Map<String, String> unsatisfied = new TreeMap<>();
    for (ComponentDescriptionDTO component : runtime.getComponentDescriptionDTOs()) {
      String lacks = lacks(runtime, component);
      if (!lacks.isEmpty()) {
        unsatisfied.put(component.name, lacks);
      }
    }
    return unsatisfied;
  }

  private static String lacks(ServiceComponentRuntime runtime, ComponentDescriptionDTO component) {
    if (!runtime.isComponentEnabled(component)) {
      return "not enabled";
    }
    Collection<ComponentConfigurationDTO> configurations =
        runtime.getComponentConfigurationDTOs(component);
    if (configurations.isEmpty()) {
      return "no configuration";
    }
    return configurations.stream()
        .filter(configuration -> !RUNNING.contains(configuration.state))
        .map(UnsatisfiedComponents::lacks)
        .collect(Collectors.joining(", "));
  }

  private static String lacks(ComponentConfigurationDTO configuration) {
    if (configuration.failure != null) {
      return configuration.failure;
    }
    String references =
        Arrays.stream(configuration.unsatisfiedReferences)
            .map(reference -> reference.name + " " + reference.target)
            .collect(Collectors.joining(", "));
    return references.isEmpty() ? "configuration" : "no service for " + references;
  }
}
