package dev.holdfast.resource;

import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Declares the kinds of one bundle. The bundle registers an implementation as a service and names
 * the same class in {@code META-INF/services}, so that programs and tests outside the container
 * find it by {@link KindCatalogue#load()}.
 */
@ConsumerType
public interface KindProvider {
  /**
   * Returns the kinds in the order in which the API lists them. The result is constant.
   *
   * @return never null, without null elements
   */
  List<ResourceKind<?>> kinds();
}
