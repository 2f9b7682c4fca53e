package dev.holdfast.resource.cluster;

import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Declares the settings that one bundle reads. The bundle registers an implementation as a service
 * for as long as it reads them: each node then creates the missing {@link Setting} resources and
 * reports there whether their values are in force. Thread-safe.
 */
@ConsumerType
public interface SettingDefinitions {
  /**
   * Returns the settings that the bundle reads. The names of a plugin contain a dot, for example
   * {@code acme.cache-size}. The answer never changes.
   *
   * @return never null, without null elements
   */
  List<SettingDefinition> definitions();
}
