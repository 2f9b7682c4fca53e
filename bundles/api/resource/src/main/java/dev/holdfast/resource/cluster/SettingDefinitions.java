package dev.holdfast.resource.cluster;

import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Declares the settings that one bundle reads. The bundle registers an implementation as a service
 * while it reads them. Each node then creates missing {@link Setting} resources and reports in
 * their status whether the values are in force. Thread-safe.
 */
@ConsumerType
public interface SettingDefinitions {
  /**
   * Returns the settings that the bundle reads. The names of a plugin contain a dot, for example
   * {@code acme.cache-size}. The result is constant.
   *
   * @return never null, without null elements
   */
  List<SettingDefinition> definitions();
}
