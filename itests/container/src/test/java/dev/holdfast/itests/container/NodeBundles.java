package dev.holdfast.itests.container;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.wiring.BundleRevision;

/** Reads the states of bundles and services from the framework of a node. */
final class NodeBundles {
  private final BundleContext context;

  NodeBundles(BundleContext context) {
    this.context = context;
  }

  /** A fragment runs with its host, and a lazy bundle when a class of it is used. */
  static boolean runs(Bundle bundle) {
    return switch (bundle.getState()) {
      case Bundle.ACTIVE -> true;
      case Bundle.RESOLVED -> isFragment(bundle);
      case Bundle.STARTING ->
          Constants.ACTIVATION_LAZY.equals(
              bundle.getHeaders().get(Constants.BUNDLE_ACTIVATIONPOLICY));
      default -> false;
    };
  }

  private static boolean isFragment(Bundle bundle) {
    return (bundle.adapt(BundleRevision.class).getTypes() & BundleRevision.TYPE_FRAGMENT) != 0;
  }

  /** Returns the bundles that offer a service. */
  List<Bundle> offering(String service) throws InvalidSyntaxException {
    return references(service).stream()
        .map(ServiceReference::getBundle)
        .filter(Objects::nonNull)
        .distinct()
        .toList();
  }

  /** Returns the symbolic names of the bundles that use a service. */
  Set<String> using(String service) throws InvalidSyntaxException {
    return references(service).stream()
        .map(ServiceReference::getUsingBundles)
        .filter(Objects::nonNull)
        .flatMap(Arrays::stream)
        .map(Bundle::getSymbolicName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The contract may be of any version: the bundle that looks does not use it. */
  private Collection<ServiceReference<?>> references(String service) throws InvalidSyntaxException {
    ServiceReference<?>[] found = context.getAllServiceReferences(service, null);
    return found == null ? List.of() : Arrays.asList(found);
  }
}
